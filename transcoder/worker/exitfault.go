package worker

import (
	"errors"
	"fmt"
	"os/exec"
	"syscall"

	"github.com/tuttinode/tutti/core/fault"
)

// exitFault returns the fault of a child that ended unexpectedly; waited is the error of Wait.
func (p *process) exitFault(waited error) *fault.Fault {
	how := "ended by itself"
	code := fault.WorkerCrashed
	if p.stderr.outOfMemory() {
		code = fault.WorkerOutOfMemory
	}
	if exit, ok := errors.AsType[*exec.ExitError](waited); ok {
		how = exit.String()
		if signaled(exit.ProcessState) == syscall.SIGKILL {
			how += ", by another program or by the kernel's out-of-memory killer"
		}
	} else if waited != nil {
		how = waited.Error()
	}
	if stderr := p.stderr.String(); stderr != "" {
		how += fmt.Sprintf("; it said %q", stderr)
	}
	return fault.Wrap(code, "transcode", errors.New(how))
}
