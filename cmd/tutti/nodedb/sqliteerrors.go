package nodedb

import (
	"errors"
	"slices"
	"syscall"

	"github.com/mattn/go-sqlite3"
)

// DiskFull reports whether SQLite found the disk full. A used-up quota, and some full
// file systems, come as a failed write, which wrote nothing. A failed flush is another
// matter: what it left is unknown.
func DiskFull(err error) bool {
	e, ok := errors.AsType[sqlite3.Error](err)
	if !ok {
		return false
	}
	return e.Code == sqlite3.ErrFull || e.ExtendedCode == sqlite3.ErrIoErrWrite &&
		(e.SystemErrno == syscall.EDQUOT || e.SystemErrno == syscall.ENOSPC)
}

// DiskTransient reports whether an error of SQLite is about the machine and not about
// what is written: the same may work the next time.
func DiskTransient(err error) bool {
	e, ok := errors.AsType[sqlite3.Error](err)
	return ok && slices.Contains([]sqlite3.ErrNo{
		sqlite3.ErrBusy, sqlite3.ErrLocked, sqlite3.ErrNomem, sqlite3.ErrIoErr, sqlite3.ErrCantOpen, sqlite3.ErrReadonly,
		sqlite3.ErrPerm, sqlite3.ErrProtocol, sqlite3.ErrInterrupt,
	}, e.Code)
}

// FileDamaged reports whether SQLite found that the file is no sound database.
func FileDamaged(err error) bool {
	e, ok := errors.AsType[sqlite3.Error](err)
	return ok && (e.Code == sqlite3.ErrCorrupt || e.Code == sqlite3.ErrNotADB)
}
