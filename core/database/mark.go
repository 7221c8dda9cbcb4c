package database

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// MarkFile is a small file beside a database that records its progress, so that an older
// copy of the database is recognized. It is replaced atomically.
type MarkFile struct{ Path string }

// maxMarkBytes limits what is read.
const maxMarkBytes = 4 << 10

// Read returns what was written last, nil if there is no file.
func (m MarkFile) Read() ([]byte, error) {
	content, err := os.ReadFile(m.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && len(content) > maxMarkBytes {
		err = errors.New(m.Path + " is too long for a mark")
	}
	return content, err
}

// Write returns when the content is on disk. After a power failure the file has either the
// old or the new content.
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

// syncDir flushes a directory's entries to disk. Systems on which directories cannot be
// synced do not need it.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync()
	return d.Close()
}
