//go:build unix

package batch

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// lockByte locks one byte of a file for this process, without waiting, or unlocks it. The system
// unlocks it when the process ends. It is false while another process has it. One file serves all
// batches, and is open until the process ends: closing it would unlock all.
func lockByte(f *os.File, at int64, lock bool) (bool, error) {
	l := syscall.Flock_t{Type: syscall.F_UNLCK, Whence: io.SeekStart, Start: at, Len: 1}
	if lock {
		l.Type = syscall.F_WRLCK
	}
	for {
		err := syscall.FcntlFlock(f.Fd(), lockCommand, &l)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.EACCES):
			return false, nil
		case !errors.Is(err, syscall.EINTR):
			return false, err
		}
	}
}
