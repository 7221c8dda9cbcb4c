package nodedb

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/mattn/go-sqlite3"
)

func TestErrorsOfTheDisk(t *testing.T) {
	t.Parallel()
	write := func(errno syscall.Errno) error {
		return sqlite3.Error{Code: sqlite3.ErrIoErr, ExtendedCode: sqlite3.ErrIoErrWrite, SystemErrno: errno}
	}
	for _, tt := range []struct {
		name                   string
		err                    error
		full, passing, damaged bool
	}{
		{"full", sqlite3.Error{Code: sqlite3.ErrFull}, true, false, false},
		{"wrapped", fmt.Errorf("commit: %w", sqlite3.Error{Code: sqlite3.ErrFull}), true, false, false},
		{"quota", write(syscall.EDQUOT), true, true, false},
		{"no space", write(syscall.ENOSPC), true, true, false},
		{"write", write(syscall.EIO), false, true, false},
		{"flush over quota", sqlite3.Error{Code: sqlite3.ErrIoErr, ExtendedCode: sqlite3.ErrIoErrFsync,
			SystemErrno: syscall.EDQUOT}, false, true, false},
		{"busy", sqlite3.Error{Code: sqlite3.ErrBusy}, false, true, false},
		{"corrupt", sqlite3.Error{Code: sqlite3.ErrCorrupt}, false, false, true},
		{"no database", sqlite3.Error{Code: sqlite3.ErrNotADB}, false, false, true},
		{"constraint", sqlite3.Error{Code: sqlite3.ErrConstraint}, false, false, false},
		{"row", errors.New("not an amount"), false, false, false},
		{"file", os.ErrPermission, false, false, false},
	} {
		if full, passing, damaged := DiskFull(tt.err), DiskTransient(tt.err), FileDamaged(tt.err); full != tt.full ||
			passing != tt.passing || damaged != tt.damaged {
			t.Errorf("%s: full %v, passing %v, damaged %v", tt.name, full, passing, damaged)
		}
	}
}
