package gpus

import (
	"os"
	"syscall"
)

// apart returns a process group of its own, which ends with us.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// endAll kills the child and what it may have started.
func endAll(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
