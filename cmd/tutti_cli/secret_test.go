//go:build linux || darwin

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A passphrase that others may read is reported, and taken.
func TestPasswordFileThatOthersMayRead(t *testing.T) {
	t.Parallel()
	for mode, warns := range map[os.FileMode]bool{0o600: false, 0o400: false, 0o640: true, 0o604: true} {
		o := newTool(t)
		path := filepath.Join(t.TempDir(), "pass")
		if err := os.WriteFile(path, []byte("one\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		status, out, errs := o.run("account", "create", "--light", "--keystore", t.TempDir(), "--password-file", path,
			"--json")
		valid(t, "account create", out)
		if status != exitOK || strings.Contains(errs, "others may read "+path) != warns || !warns && errs != "" {
			t.Errorf("%o: %d %s", mode, status, errs)
		}
	}
}
