package database

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tuttinode/tutti/core/privatefile"
)

// ensurePrivate creates the file if needed, and removes other users' permissions: SQLite
// gives its side files the same mode. It never opens the file itself, because closing it
// would release the locks that this process holds on it.
//
// Root opens the databases of services, too. A link that another user made in the directory
// points to a file of that user's choice: it is refused, and no mode is changed outside of the
// directory. A link of one's own is followed.
func ensurePrivate(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return createPrivate(path)
	}
	if err != nil {
		return err
	}
	change := chmodInside
	if info.Mode().Type() == fs.ModeSymlink {
		if !isOwn(info) {
			return fmt.Errorf("%s is a link that another user made", path)
		}
		if info, err = os.Stat(path); err != nil {
			return err
		}
		change = os.Chmod
	}
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	return change(path, info.Mode().Perm()&^fs.FileMode(0o077))
}

// chmodInside changes the mode of a file in its directory. If a link has replaced the file
// meanwhile, its target outside of the directory is not changed.
func chmodInside(path string, mode fs.FileMode) error {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Chmod(filepath.Base(path), mode), dir.Close())
}

// createPrivate makes an empty file for its owner only. It succeeds if another process
// created it meanwhile.
func createPrivate(path string) error {
	if err := privatefile.Create(path, nil); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
