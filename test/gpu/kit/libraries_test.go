package main

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"

	"github.com/tuttinode/tutti/test/fakegpu"
	"github.com/tuttinode/tutti/test/gpu/card"
)

// TestLibrariesForTheKit makes the libraries that the kit carries, in the folders that
// pack.sh names.
func TestLibrariesForTheKit(t *testing.T) {
	driver, counting := cmp.Or(os.Getenv("TUTTI_GPUKIT_FAKE"), t.TempDir()),
		cmp.Or(os.Getenv("TUTTI_GPUKIT_LIB"), t.TempDir())
	fakegpu.Copy(t, driver)
	card.CompileCounter(t, filepath.Join(counting, "libtutticount.so"))
	for folder, least := range map[string]int{driver: 5, counting: 1} {
		if files, err := filepath.Glob(filepath.Join(folder, "*.so*")); err != nil || len(files) < least {
			t.Errorf("%s has %v, %v", folder, files, err)
		}
	}
}
