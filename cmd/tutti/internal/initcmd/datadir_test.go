package initcmd

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
)

// Root makes a key and changes owners in the service's directory: a link that the service put there, in place
// of a network's directory or within it, leads nowhere.
func TestTheServicesLinksAreRefused(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]func(t *testing.T, above, elsewhere string){
		"the directory": func(t *testing.T, above, elsewhere string) {
			link(t, elsewhere, filepath.Join(above, "devnet"))
		},
		"the directory, within": func(t *testing.T, above, _ string) {
			link(t, ".", filepath.Join(above, "devnet"))
		},
		"the keys": func(t *testing.T, above, elsewhere string) {
			if err := os.Mkdir(filepath.Join(above, "devnet"), 0o700); err != nil {
				t.Fatal(err)
			}
			link(t, elsewhere, filepath.Join(above, "devnet/keystore"))
		},
		"a database that is missing": func(t *testing.T, above, elsewhere string) {
			if err := os.Mkdir(filepath.Join(above, "devnet"), 0o700); err != nil {
				t.Fatal(err)
			}
			link(t, filepath.Join(elsewhere, "tutti.db"), filepath.Join(above, "devnet/tutti.db"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			above, elsewhere := t.TempDir(), t.TempDir()
			place(t, above, elsewhere)
			if _, err := openServiceDir(filepath.Join(above, "devnet")); !errors.Is(err, fault.DataDirUnusable) {
				t.Errorf("opened, %v", err)
			}
			if left, err := os.ReadDir(elsewhere); err != nil || len(left) > 0 {
				t.Errorf("elsewhere: %v, %v", left, err)
			}
		})
	}
	inside, err := openServiceDir(filepath.Join(t.TempDir(), "tutti/devnet"))
	if err != nil {
		t.Fatalf("a new one: %v", err)
	}
	defer func() { _ = inside.Close() }()
	if err := giveToService(inside, os.Getuid(), os.Getgid()); err != nil {
		t.Error(err)
	}
}

func link(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}

// TestFilesThatCannotBeWritten: what is wrong with the folder of -dir has a remedy that names it, not that of the
// data directory.
func TestFilesThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, "/proc/none"} {
		err := (&initTool{}).write(t.Context(), []File{{Path: filepath.Join(dir, "tutti.conf")}})
		if !errors.Is(err, fault.SetupUnwritable) {
			t.Errorf("in %s: %v", dir, err)
		}
	}
}
