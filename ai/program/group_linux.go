package program

import "syscall"

// group makes a program the first of a process group, which ends with the node.
func group() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
