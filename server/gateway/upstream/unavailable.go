package upstream

import (
	"fmt"

	"google.golang.org/grpc/metadata"

	"github.com/tuttinode/tutti/core/fault"
)

// modelHeader is the trailer in which a tutti orchestrator says why a model that it
// has is not in its offer.
const modelHeader = "tutti-model-code"

// modelCode returns the code in that trailer: one of the table, or "".
func modelCode(trailer metadata.MD) fault.Code {
	values := trailer.Get(modelHeader)
	if len(values) == 0 {
		return ""
	}
	code := fault.Code(values[0])
	if _, known := fault.Lookup(code); !known {
		return fault.ModelNotReady // of another release
	}
	return code
}

// unavailable is the fault of an orchestrator that has the model and cannot run it.
func unavailable(uri string, code fault.Code, err error) error {
	what := "cannot run the model now"
	if code == fault.RunnerUnreachable {
		what = "cannot reach its model server"
	}
	return &fault.Fault{
		Code: fault.ModelUnavailable, Op: "ask orchestrator", Err: err,
		Detail: fmt.Sprintf("the orchestrator at %.128s %s (%s)", uri, what, code),
	}
}
