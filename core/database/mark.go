package database

import (
	"errors"
	"io/fs"
	"os"

	"github.com/tuttinode/tutti/core/privatefile"
)

// MarkFile is a small file next to a database that records its progress, so that an older
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
func (m MarkFile) Write(content []byte) error { return privatefile.Replace(m.Path, content) }
