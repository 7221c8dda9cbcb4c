package docker

import (
	"context"

	"github.com/containerd/errdefs"
)

// ImagePresent reports whether the machine has the image.
func (e *Engine) ImagePresent(ctx context.Context, image string) (bool, error) {
	if err := CheckImage(image); err != nil {
		return false, err
	}
	_, err := e.api.ImageInspect(ctx, image)
	switch {
	case err == nil:
		return true, nil
	case errdefs.IsNotFound(err):
		return false, nil
	}
	return false, e.fault("look for image", err)
}

// EnsureImage fetches an image unless the machine has it. Callers that want one
// image at the same time share one pull, which ends when the last of them has
// left. progress, if not nil, is called one call at a time while the pull goes
// on, and no more once EnsureImage has returned; it must not block. No
// credentials are sent.
func (e *Engine) EnsureImage(ctx context.Context, image string, progress func(Progress)) error {
	present, err := e.ImagePresent(ctx, image)
	if err != nil || present {
		return err
	}
	return e.join(ctx, image, progress)
}
