package docker_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/moby/moby/client"

	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/engine"
)

func TestPull(t *testing.T) {
	t.Parallel()
	b := open(t)
	r := engine.StartRegistry(t)
	image := r.Host + "/own/ai-runner:1"
	var callers sync.WaitGroup
	var reported atomic.Int32
	for range 8 {
		callers.Go(func() {
			err := b.EnsureImage(t.Context(), image, func(p docker.Progress) {
				if p.Image == image && p.String() != "" {
					reported.Add(1)
				}
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	callers.Wait()
	if reported.Load() == 0 {
		t.Error("no progress was reported")
	}
	if present, err := b.ImagePresent(t.Context(), image); err != nil || !present {
		t.Error(present, err)
	}
	before := r.Manifests.Load()
	if err := b.EnsureImage(t.Context(), image, nil); err != nil || r.Manifests.Load() != before {
		t.Errorf("an image that is there was fetched again: %v", err)
	}
	if digest, present, err := b.ImageDigest(t.Context(), image); err != nil || !present || digest != r.Digest {
		t.Errorf("digest %q, %v, %v; want %s", digest, present, err, r.Digest)
	}
	if _, err := b.real.API.ImageRemove(t.Context(), image, client.ImageRemoveOptions{}); err != nil {
		t.Error(err)
	}
}

func TestRefusedPulls(t *testing.T) {
	t.Parallel()
	b := open(t)
	r := engine.StartRegistry(t)
	for name, want := range map[string]fault.Code{
		"own/ai-runner:nosuch":  fault.ImageUnknown,
		"own/ai-runner:private": fault.ImageDenied,
		"own/ai-runner:limited": fault.ImagePullFailed,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantCode(t, b.EnsureImage(t.Context(), r.Host+"/"+name, nil), want, r.Host+"/"+name)
		})
	}
}

// TestPinnedPull: a digest in the image's name is what is fetched, or nothing is.
func TestPinnedPull(t *testing.T) {
	t.Parallel()
	b := open(t)
	r := engine.StartRegistry(t)
	image := r.Host + "/own/ai-runner@" + r.Digest
	if _, present, err := b.ImageDigest(t.Context(), image); err != nil || present {
		t.Fatal(present, err)
	}
	if err := b.EnsureImage(t.Context(), image, nil); err != nil {
		t.Fatal(err)
	}
	if digest, present, err := b.ImageDigest(t.Context(), image); err != nil || !present || digest != r.Digest {
		t.Errorf("digest %q, %v, %v; want %s", digest, present, err, r.Digest)
	}
	other := r.Host + "/own/ai-runner@sha256:" + strings.Repeat("0", 64)
	wantCode(t, b.EnsureImage(t.Context(), other, nil), fault.ImageUnknown, other)
	if _, err := b.real.API.ImageRemove(t.Context(), image, client.ImageRemoveOptions{}); err != nil {
		t.Error(err)
	}
}
