//go:build unix && !linux

package liverunner

import "syscall"

// programGroup makes a program the first of a process group.
func programGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
