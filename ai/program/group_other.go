//go:build unix && !linux

package program

import "syscall"

// group makes a program the first of a process group.
func group() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
