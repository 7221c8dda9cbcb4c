package logging

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// maxSize is how long a log file gets before the next one begins, as with glog.
const maxSize = 1024 * 1024 * 1800

// file is the log of one severity: files of glog's names, one after another, and a
// link to the newest. It is not safe for concurrent use.
type file struct {
	dir      string
	severity severity
	pid      int
	now      func() time.Time
	size     int64

	lineWriter
	open    *os.File
	written int64
}

// put writes a line at once: what a buffer holds is gone when it is needed most.
func (f *file) put(line []byte) error {
	if f.open == nil || f.written+int64(len(line)) > f.size {
		if err := f.next(); err != nil && f.open == nil {
			return err
		}
	}
	err := f.lineWriter.put(line)
	f.written += int64(len(line))
	return err
}

// next begins a new file. Where it cannot, the present one goes on.
func (f *file) next() error {
	name := f.name()
	created, err := os.OpenFile(filepath.Join(f.dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if f.open != nil {
		_ = f.open.Close()
	}
	f.open, f.written, f.lineWriter = created, 0, lineWriter{Writer: created}
	link := filepath.Join(f.dir, program()+"."+f.severity.name())
	_ = os.Remove(link) // the link is a convenience
	_ = os.Symlink(name, link)
	return nil
}

func (f *file) name() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknownhost"
	}
	host, _, _ = strings.Cut(host, ".")
	account := "unknownuser"
	if u, err := user.Current(); err == nil {
		account = strings.Map(plain, u.Username)
	}
	now := f.now()
	return fmt.Sprintf("%s.%s.%s.log.%s.%s.%d", program(), host, account, f.severity.name(),
		now.Format("20060102-150405"), f.pid)
}

// plain keeps what a file name may have of a user's name.
func plain(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
		return r
	}
	return '_'
}

func program() string { return filepath.Base(os.Args[0]) }

func (f *file) sync() {
	if f.open != nil {
		_ = f.open.Sync()
	}
}

// reason is why a line could not be written: which file, and what the system says.
func reason(err error) string {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		err = joined.Unwrap()[0] // one is enough
	}
	var path *os.PathError
	if errors.As(err, &path) {
		if path.Op == "write" || path.Op == "open" {
			where := path.Path
			if path.Op == "open" {
				where = filepath.Dir(where) // the name has the time in it
			}
			return where + ": " + path.Err.Error()
		}
	}
	var number syscall.Errno
	if errors.As(err, &number) {
		return number.Error()
	}
	return err.Error()
}
