//go:build unix

package liverunner

import (
	"os/exec"
	"syscall"
)

// terminateGroup asks a program and its children to end; killGroup ends them at once.
func terminateGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
func killGroup(cmd *exec.Cmd)      { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
