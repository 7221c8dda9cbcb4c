package migrate

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// besides are the files that belong to a database: what was begun and not ended is
// in them, and has to come along or the copy is older, or damaged.
func besides() []string { return []string{"", "-journal", "-wal"} }

// copyDatabase copies the database of a source, for reading. There is none when the
// error is fs.ErrNotExist.
func copyDatabase(source, into string) (string, error) {
	target := filepath.Join(into, DatabaseName)
	// The other files are next to the link's target.
	path, err := filepath.EvalSymlinks(filepath.Join(source, DatabaseName))
	if err != nil {
		return "", err
	}
	for _, suffix := range besides() {
		err := copyFile(path+suffix, target+suffix)
		if suffix != "" && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
	}
	return target, nil
}

// copyFile copies one regular file into one that only its owner reads.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}
