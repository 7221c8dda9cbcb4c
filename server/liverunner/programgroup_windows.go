package liverunner

import (
	"os/exec"
	"syscall"
)

func programGroup() *syscall.SysProcAttr { return nil }

// terminateGroup and killGroup end a program at once: Windows cannot ask a program without a window to end.
func terminateGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
func killGroup(cmd *exec.Cmd)      { _ = cmd.Process.Kill() }
