package broker

import (
	"fmt"

	"github.com/tuttinode/tutti/core/fault"
)

// failedAt adds the orchestrator's address to the error text for the client. Faults that are not an
// orchestrator's, and those about having no orchestrator, stay unchanged.
func failedAt(uri string, err error) error {
	code := fault.CodeOf(err)
	switch {
	case code.Class() != fault.Upstream, code == fault.OrchestratorUnreachable, code == fault.OrchestratorSilent:
		return err
	case code == fault.RunnerUnreachable:
		return &fault.Fault{Code: code, Op: "send job",
			Detail: fmt.Sprintf("the orchestrator at %.128s cannot reach its model server", uri), Err: err}
	}
	_, text := fault.Public(err)
	return &fault.Fault{Code: code, Op: "send job", Detail: fmt.Sprintf("the orchestrator at %.128s failed: %s", uri,
		text), Err: err}
}
