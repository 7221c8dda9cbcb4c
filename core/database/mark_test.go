package database_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/database"
)

func TestMarkFile(t *testing.T) {
	t.Parallel()
	m := database.MarkFile{Path: filepath.Join(t.TempDir(), "ledger.mark")}
	if content, err := m.Read(); err != nil || content != nil {
		t.Errorf("a mark that was never written: %q, %v", content, err)
	}
	for _, want := range []string{"one", "two"} {
		if err := m.Write([]byte(want)); err != nil {
			t.Fatal(err)
		}
		if content, err := m.Read(); err != nil || string(content) != want {
			t.Errorf("%q, %v", content, err)
		}
	}
	names, err := os.ReadDir(filepath.Dir(m.Path))
	if err != nil || len(names) != 1 {
		t.Errorf("%v, %v", names, err)
	}
	info, err := os.Stat(m.Path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if err := os.WriteFile(m.Path, []byte(strings.Repeat("x", 1<<13)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Read(); err == nil {
		t.Error("a file of any length is read")
	}
	if err := (database.MarkFile{Path: filepath.Join(t.TempDir(), "none", "mark")}).Write(nil); err == nil {
		t.Error("written where there is no directory")
	}
}
