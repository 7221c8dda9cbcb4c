package worker

import (
	"os"
	"path/filepath"
	"testing"
)

// Root that looks at a GPU alongside the service changes the mode of no folder to which a link
// in the service's data directory leads.
func TestAPrivateFolderIsNoLinkElsewhere(t *testing.T) {
	t.Parallel()
	other, dir := t.TempDir(), t.TempDir()
	for _, err := range []error{os.Chmod(other, 0o755), os.Symlink(other, filepath.Join(dir, "cuda-cache"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := privateFolder(filepath.Join(dir, "cuda-cache")); err == nil {
		t.Error("a link elsewhere is taken")
	}
	if info, err := os.Stat(other); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("the other folder has %v, %v", info.Mode(), err)
	}
}
