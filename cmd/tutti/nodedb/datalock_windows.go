package nodedb

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// noFollow has no counterpart.
const noFollow = 0

// lockAt is a byte far behind what is in the file: a locked byte cannot be read by
// others, and they shall read which process holds the lock.
const lockAt = 1 << 30

// lockFile takes the file's lock; held reports that another process has it.
func lockFile(f *os.File) (held bool, err error) {
	err = windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, &windows.Overlapped{Offset: lockAt})
	return errors.Is(err, windows.ERROR_LOCK_VIOLATION), err
}
