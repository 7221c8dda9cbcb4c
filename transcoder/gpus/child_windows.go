package gpus

import (
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// apart returns a process group of its own. It ends when its output is read no more.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// endAll kills the child, which starts nothing here.
func endAll(p *os.Process) { _ = p.Kill() }
