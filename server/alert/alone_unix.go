//go:build unix

package alert

import (
	"os/exec"
	"syscall"
)

// alone gives a program a process group of its own, which is stopped as a whole.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
