//go:build unix

package database

import (
	"io/fs"
	"os"
	"syscall"
)

// isOwn reports whether a file belongs to this process's user.
func isOwn(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}
