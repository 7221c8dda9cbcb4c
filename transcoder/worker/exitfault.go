package worker

import (
	"errors"
	"fmt"
	"os/exec"
	"syscall"

	"github.com/tuttinode/tutti/core/fault"
)

// exitFault is the fault of a child that ended without being asked: waited is
// what waiting for it returned.
func (p *process) exitFault(waited error) *fault.Fault {
	how := "ended by itself"
	code := fault.WorkerCrashed
	if p.stderr.outOfMemory() {
		code = fault.WorkerOutOfMemory
	}
	if exit, ok := errors.AsType[*exec.ExitError](waited); ok {
		how = exit.String()
		if signalled(exit.ProcessState) == syscall.SIGKILL {
			how += ", by someone or by the kernel for want of memory"
		}
	} else if waited != nil {
		how = waited.Error()
	}
	if stderr := p.stderr.String(); stderr != "" {
		how += fmt.Sprintf("; it said %q", stderr)
	}
	return fault.Wrap(code, "transcode", errors.New(how))
}
