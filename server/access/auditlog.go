package access

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// MaxAuditSize is how large the file of the audit log grows, in bytes. One file before it is kept.
const MaxAuditSize = 4 << 20

// maxAuditLine bounds one entry, in bytes.
const maxAuditLine = 8 << 10

// AuditEntry is one line of the log. A change has two: Outcome begun, and how it ended.
type AuditEntry struct {
	Time time.Time `json:"time"`
	// ID joins the lines of one change.
	ID     uint64 `json:"id"`
	Method string `json:"method"`
	Route  string `json:"route"`
	// From is the kind of sender, loopback, unix or remote, and its address.
	From string `json:"from"`
	// Token: the sender had the token.
	Token      bool `json:"token"`
	Parameters any  `json:"parameters,omitempty"`
	// DryRun: it was only asked what would be done.
	DryRun  bool         `json:"dryRun,omitempty"`
	Outcome auditOutcome `json:"outcome"`
	Status  int          `json:"status,omitempty"`
	Code    string       `json:"code,omitempty"`
	Tx      []string     `json:"tx,omitempty"`
}

// auditOutcome is how a change went.
type auditOutcome string

// The outcomes.
const (
	AuditBegun  auditOutcome = "begun"
	AuditDone   auditOutcome = "done"
	AuditFailed auditOutcome = "failed"
)

// AuditLog is the log. It is safe for concurrent use.
type AuditLog struct {
	path string
	max  int64

	mu   sync.Mutex
	file *os.File // guarded by mu, like size
	size int64
}

// OpenAudit opens the log at its end. The error is an AdminAuditFailed fault.
func OpenAudit(path string, maxSize int64) (*AuditLog, error) {
	l := &AuditLog{path: path, max: maxSize}
	if err := l.open(); err != nil {
		return nil, auditFailed(err)
	}
	return l, nil
}

func auditFailed(err error) error {
	return &fault.Fault{Code: fault.AdminAuditFailed, Op: "write the log of changes", Detail: err.Error(), Err: err}
}

func (l *AuditLog) open() error {
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s is not a regular file", l.path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		err = f.Chmod(0o600)
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.file, l.size = f, info.Size()
	return nil
}

// Append writes an entry and returns when it is on the disk.
func (l *AuditLog) Append(e AuditEntry) error {
	line, err := json.Marshal(e)
	if err == nil && len(line) > maxAuditLine {
		e.Parameters = "too long to be written down"
		line, err = json.Marshal(e)
	}
	if err != nil {
		return auditFailed(err)
	}
	line = append(line, '\n')
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.write(line); err != nil {
		return auditFailed(err)
	}
	return nil
}

// write appends a line. The caller holds mu.
func (l *AuditLog) write(line []byte) error {
	if l.file == nil {
		if err := l.open(); err != nil {
			return err
		}
	}
	if l.size > 0 && l.size+int64(len(line)) > l.max {
		if err := l.rotate(); err != nil {
			return err
		}
	}
	n, err := l.file.Write(line)
	l.size += int64(n)
	if err != nil {
		return err
	}
	return l.file.Sync()
}

// rotate begins a new file and keeps the one before it.
func (l *AuditLog) rotate() error {
	err := l.file.Close()
	l.file = nil
	if err != nil {
		return err
	}
	if err := os.Rename(l.path, l.path+".1"); err != nil {
		return err
	}
	return l.open()
}

// Close closes the log.
func (l *AuditLog) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}
