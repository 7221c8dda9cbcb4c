//go:build unix

package main

import (
	"os"
	"syscall"
)

// lockFile takes the file's lock, which nobody else may hold.
func lockFile(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
