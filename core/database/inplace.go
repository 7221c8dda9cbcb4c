package database

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// InPlace returns a check that the database file of a directory is still the file that is open: another
// file under its name, as after a restore, gets nothing that this process writes. The check must run in a
// transaction, in which SQLite has its write-ahead log open. On an error of its own it finds nothing.
func InPlace(dir string) func() error {
	path := filepath.Join(dir, FileName)
	opened, err := os.Stat(path)
	if err != nil {
		return func() error { return nil }
	}
	return func() error {
		now, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist), err == nil && !os.SameFile(opened, now):
			return fmt.Errorf("%s was replaced or removed while the node runs", path)
		case err != nil:
			return nil
		}
		if _, err := os.Stat(path + "-wal"); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s-wal was removed while the node runs", path)
		}
		return nil
	}
}
