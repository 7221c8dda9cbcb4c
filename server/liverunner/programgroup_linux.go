package liverunner

import "syscall"

// programGroup makes a program the first of a process group, which ends with the node.
func programGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
