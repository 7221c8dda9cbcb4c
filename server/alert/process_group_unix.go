//go:build unix

package alert

import (
	"os/exec"
	"syscall"
)

// ownProcessGroup starts a program in its own process group, which is killed as a whole.
func ownProcessGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
