//go:build unix

package node

import (
	"os"
	"syscall"
)

// ownerOf returns the number of the user whose file it is.
func ownerOf(path string) (user int, known bool) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, false
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(s.Uid), true
}
