//go:build unix

package gateway

import "syscall"

// openFiles returns how many files, and so connections, this process may have open.
func openFiles() int {
	var lim syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &lim); err != nil {
		return 1024
	}
	return int(min(lim.Cur, maxConnections))
}
