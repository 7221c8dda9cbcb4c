// Package privatefile writes files that only their owner can read, whole or not at all, and on
// disk when the call returns: keys, tokens and marks that a power failure must not take or halve. It
// encrypts nothing; eth/account does that. Also here is Secret, what signs the node's own addresses.
package privatefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// Replace writes a file of mode 0600, in place of one that is there. After a power failure it has
// either the old or the new content.
func Replace(path string, content []byte) error {
	return write(path, content, os.Rename)
}

// Create is Replace for a file that must not be there; the error is fs.ErrExist then, also where
// another process makes it at the same time.
func Create(path string, content []byte) error {
	return write(path, content, func(temp, path string) error {
		err := os.Link(temp, path)
		if err == nil || errors.Is(err, fs.ErrExist) {
			return err
		}
		// File systems without links: an empty file holds the name until the content takes it.
		held, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		if err := held.Close(); err != nil {
			return err
		}
		return os.Rename(temp, path)
	})
}

// write puts the content into a file next to path, which publish gives its name.
func write(path string, content []byte, publish func(temp, path string) error) error {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*") // of mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := publish(f.Name(), path); err != nil {
		return err
	}
	return SyncDir(dir)
}

// SyncDir flushes a directory's entries to disk. Where directories cannot be flushed it does
// nothing.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, d.Close())
}
