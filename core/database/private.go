package database

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// ensurePrivate creates the file if needed, and removes other users' permissions: SQLite
// gives its side files the same mode. It never opens the file itself, because closing it
// would release the locks that this process holds on it.
func ensurePrivate(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return createPrivate(path)
	}
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = os.Chmod(path, info.Mode().Perm()&^fs.FileMode(0o077))
	}
	return err
}

// createPrivate makes an empty file for its owner only. It succeeds if another process
// created it meanwhile.
func createPrivate(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
