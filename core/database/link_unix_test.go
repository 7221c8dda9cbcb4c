//go:build cgo && unix

package database_test

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/database"
)

// Root opens the databases of services, too: a link that the service made where the database
// should be changes no other file, and none is opened through it. The operator's own link is a
// database on another disk.
func TestALinkOfAnotherUserIsNoDatabase(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root opens other users' databases")
	}
	dir, other := t.TempDir(), filepath.Join(t.TempDir(), "other")
	path := filepath.Join(dir, database.FileName)
	if err := os.WriteFile(other, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, path); err != nil {
		t.Fatal(err)
	}
	if err := os.Lchown(path, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	_, err := driver().Open(t.Context(), dir, func(context.Context, *sql.DB) error {
		t.Error("it was opened")
		return errors.New("opened")
	})
	if err == nil || !strings.Contains(err.Error(), "is a link that another user made") {
		t.Error(err)
	}
	if mode := modeOf(t, other); mode != 0o644 {
		t.Errorf("the other file has mode %v now", mode)
	}
	if err := os.Lchown(path, 0, 0); err != nil {
		t.Fatal(err)
	}
	open(t, dir, tables(one))
	if mode := modeOf(t, other); mode != 0o600 {
		t.Errorf("behind a link of its own the database has mode %v", mode)
	}
}

func modeOf(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}
