package harness

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Every package that starts the programs asks for them: linked again for each, they took
// minutes of a whole run.
func TestPackagesShareThePrograms(t *testing.T) {
	t.Parallel()
	var paths [2]string
	var files [2]os.FileInfo
	for i := range paths {
		var err error
		if paths[i], err = BuildTool(t.TempDir()); err != nil {
			t.Fatal(err)
		}
		if files[i], err = os.Stat(filepath.Join(moduleRoot(), shared, "tutti_cli")); err != nil {
			t.Fatal(err)
		}
	}
	if !os.SameFile(files[0], files[1]) {
		t.Error("the second caller linked it again")
	}
	if err := os.Remove(paths[0]); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(paths[1], "-version").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
