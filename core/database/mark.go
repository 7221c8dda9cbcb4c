package database

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// MarkFile is a small file beside a database that says how far its owner came, so that
// an older copy of the database is known for one. It is replaced as a whole.
type MarkFile struct{ Path string }

// markMost bounds what is read of a mark.
const markMost = 4 << 10

// Read returns what was written last, nil where nothing was.
func (m MarkFile) Read() ([]byte, error) {
	content, err := os.ReadFile(m.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && len(content) > markMost {
		err = errors.New(m.Path + " is too long for a mark")
	}
	return content, err
}

// Write returns when the content is on disk. After a power cut there is either the
// old or the new one.
func (m MarkFile) Write(content []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(m.Path), "."+filepath.Base(m.Path)+".*") // of mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), m.Path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(m.Path))
}

// syncDir has the names in a directory reach the disk. Where a system cannot do that
// for directories, its file system does it by itself.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync()
	return d.Close()
}
