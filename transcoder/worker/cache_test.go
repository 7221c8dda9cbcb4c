package worker_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tuttinode/tutti/transcoder/worker"
)

// What the driver compiled outlives its process, in a folder of its GPU alone that
// nobody else may enter.
func TestTheDriverKeepsWhatItCompiles(t *testing.T) {
	t.Parallel()
	cache := filepath.Join(t.TempDir(), "node", "cuda-cache")
	if err := os.MkdirAll(filepath.Join(cache, "GPU-2"), 0o755); err != nil {
		t.Fatal(err)
	}
	card := func(uuid string) *worker.Client {
		return start(t, func(o *worker.Options) { o.Device, o.GPU, o.UUID, o.Cache = "0", true, uuid, cache })
	}
	one, two := card("GPU-1"), card("GPU-2")
	if got := says(t, one, "compile"); got != filepath.Join(cache, "GPU-1") {
		t.Fatalf("the driver of the one keeps nothing: %s", got)
	}
	if got := says(t, two, "compile"); got != filepath.Join(cache, "GPU-2") {
		t.Fatalf("the driver of the other keeps nothing: %s", got)
	}
	for _, folder := range []string{cache, filepath.Join(cache, "GPU-1"), filepath.Join(cache, "GPU-2")} {
		info, err := os.Stat(folder)
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", folder, info.Mode(), err)
		}
	}
	if one.Degraded() == nil {
		for _, no := range []string{"read " + filepath.Join(cache, "GPU-2", "index"), "write " + filepath.Join(cache, "x"),
			"list " + cache} {
			if got := says(t, one, no); !refused(got) {
				t.Errorf("%s: %s", no, got)
			}
		}
	}
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	if got := says(t, card("GPU-1"), "read "+filepath.Join(cache, "GPU-1", "index")); got != "done" {
		t.Errorf("the next process finds nothing: %s", got)
	}
}

// Without a folder of the node's a temporary one serves until the GPU is given up.
func TestATemporaryCache(t *testing.T) {
	t.Parallel()
	c := start(t, func(o *worker.Options) { o.Device, o.GPU = "0", true })
	folder := says(t, c, "compile")
	info, err := os.Stat(folder)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("%s: %v", folder, err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", folder, err)
	}
}

// A folder that cannot be made costs the cache, not the GPU.
func TestACacheThatCannotBeMade(t *testing.T) {
	t.Parallel()
	c := start(t, func(o *worker.Options) {
		o.Device, o.GPU, o.Cache = "0", true, filepath.Join(write(t, filepath.Join(t.TempDir(), "file")), "cache")
	})
	if got := says(t, c, "env CUDA_CACHE_DISABLE"); got != "[1]" {
		t.Errorf("the cache is not off: %s", got)
	}
}

// No name of a GPU leads out of the folder.
func TestNamesOfCardsAreNoPaths(t *testing.T) {
	t.Parallel()
	cache := filepath.Join(t.TempDir(), "cache")
	c := start(t, func(o *worker.Options) { o.Device, o.GPU, o.UUID, o.Cache = "0", true, "../GPU/1", cache })
	if got := says(t, c, "compile"); got != filepath.Join(cache, "___GPU_1") {
		t.Error(got)
	}
}
