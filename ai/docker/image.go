package docker

import (
	"context"
	"strings"

	"github.com/containerd/errdefs"
)

// ImagePresent reports whether the machine has the image.
func (e *Engine) ImagePresent(ctx context.Context, image string) (bool, error) {
	_, present, err := e.ImageDigest(ctx, image)
	return present, err
}

// ImageDigest returns the image's digest in its registry, "sha256:…", and whether the machine
// has the image. An image that came from no registry has no digest.
func (e *Engine) ImageDigest(ctx context.Context, image string) (digest string, present bool, err error) {
	if err := CheckImage(image); err != nil {
		return "", false, err
	}
	found, err := e.api.ImageInspect(ctx, image)
	switch {
	case errdefs.IsNotFound(err):
		return "", false, nil
	case err != nil:
		return "", false, e.fault("look for image", err)
	}
	return digestOf(image, found.RepoDigests), true, nil
}

// digestOf finds the digest of the image's registry: the image may have come from several.
func digestOf(image string, known []string) string {
	name, pinned, _ := strings.Cut(image, "@")
	if pinned != "" {
		return pinned
	}
	name = strings.TrimPrefix(strings.TrimPrefix(name, "docker.io/"), "library/")
	for _, at := range known {
		repository, digest, _ := strings.Cut(at, "@")
		if name == repository || strings.HasPrefix(name, repository+":") {
			return digest
		}
	}
	return ""
}

// EnsureImage pulls an image unless the machine has it. Concurrent callers for one image
// share one pull, which ends when the last caller has left. progress, if not nil, is called
// one call at a time during the pull, and not after EnsureImage has returned; it must not
// block. No credentials are sent.
func (e *Engine) EnsureImage(ctx context.Context, image string, progress func(Progress)) error {
	present, err := e.ImagePresent(ctx, image)
	if err != nil || present {
		return err
	}
	return e.joinPull(ctx, image, progress)
}
