//go:build unix

package program

import (
	"os/exec"
	"syscall"
)

// ask asks a program and its children to end, kill ends them.
func ask(cmd *exec.Cmd)  { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
