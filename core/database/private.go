package database

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// private makes the file if need be, and keeps others from reading it: SQLite
// gives its side files the same mode. The file itself is never opened here: to
// close it would end the locks that this process has on it.
func private(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return create(path)
	}
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = os.Chmod(path, info.Mode().Perm()&^fs.FileMode(0o077))
	}
	return err
}

// create makes an empty file for its owner only. Who else was quicker is as good.
func create(path string) error {
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
