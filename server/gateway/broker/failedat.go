package broker

import (
	"fmt"

	"github.com/tuttinode/tutti/core/fault"
)

// failedAt names the orchestrator in the text of a job that failed there, for the client. What
// is not an orchestrator's failure stays as it is, and what has its own words for there being
// no orchestrator at all.
func failedAt(uri string, err error) error {
	code := fault.CodeOf(err)
	switch {
	case code.Class() != fault.Upstream, code == fault.OrchestratorUnreachable, code == fault.OrchestratorSilent:
		return err
	case code == fault.RunnerUnreachable:
		return &fault.Fault{Code: code, Op: "send job", Detail: fmt.Sprintf("the orchestrator at %.128s cannot reach its model server", uri), Err: err}
	}
	_, text := fault.Public(err)
	return &fault.Fault{Code: code, Op: "send job", Detail: fmt.Sprintf("the orchestrator at %.128s failed: %s", uri, text), Err: err}
}
