package privatefile

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"

	"github.com/tuttinode/tutti/core/fault"
)

// Spools are files without names for requests that are too large to keep in memory. All together they
// are bounded, and the system frees each when it is closed or the process ends.
type Spools struct {
	dir   string
	limit int64
	// secret is for the markers that stand for what is in a file.
	secret []byte
	used   atomic.Int64
}

// spoolName is what the files are called for the moment until their names are removed.
const spoolName = ".request-*"

// NewSpools puts files of at most limit bytes together into a directory. It is nil where the system
// does not remove the name of an open file. secret, random bytes, is what Secret returns.
func NewSpools(dir string, limit int64, secret []byte) *Spools {
	if runtime.GOOS == "windows" || dir == "" {
		return nil
	}
	left, _ := filepath.Glob(filepath.Join(dir, spoolName)) // the pattern is right
	for _, name := range left {
		_ = os.Remove(name) // a process that was killed just then
	}
	return &Spools{dir: dir, limit: limit, secret: secret}
}

// Spool is one file. It may be read while it is written.
type Spool struct {
	file  *os.File
	of    *Spools
	taken int64
	ended atomic.Bool
}

// Open makes a file. The error is the fault RequestDiskFull.
func (s *Spools) Open() (*Spool, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, notStored(err)
	}
	f, err := os.CreateTemp(s.dir, spoolName) // of mode 0600
	if err != nil {
		return nil, notStored(err)
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, notStored(errors.Join(err, f.Close()))
	}
	return &Spool{file: f, of: s}, nil
}

func notStored(err error) error {
	return &fault.Fault{Code: fault.RequestDiskFull, Op: "store a large request",
		Detail: "the node has no space on its disk for a request of this size", Err: err}
}

var errSpoolsFull = errors.New("the files of large requests have reached their limit")

// Write appends to the file. The error is the fault RequestDiskFull.
func (f *Spool) Write(p []byte) (int, error) {
	n := int64(len(p))
	if f.of.used.Add(n) > f.of.limit {
		f.of.used.Add(-n)
		return 0, notStored(errSpoolsFull)
	}
	f.taken += n
	done, err := f.file.Write(p)
	if err != nil {
		err = notStored(err)
	}
	return done, err
}

// ReadAt reads from a place in the file.
func (f *Spool) ReadAt(p []byte, from int64) (int, error) { return f.file.ReadAt(p, from) }

// Close frees the file.
func (f *Spool) Close() error {
	if f.ended.Swap(true) {
		return nil
	}
	f.of.used.Add(-f.taken)
	return f.file.Close()
}

// Secret is what no client knows.
func (s *Spools) Secret() []byte { return s.secret }

// Limit returns how many bytes may be in files, 0 without any.
func (s *Spools) Limit() int64 {
	if s == nil {
		return 0
	}
	return s.limit
}

// Used returns how many bytes are in files.
func (s *Spools) Used() int64 { return s.used.Load() }
