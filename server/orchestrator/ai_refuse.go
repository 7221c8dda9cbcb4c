package orchestrator

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/status"
)

// busyText makes gateways of the existing network try another orchestrator without suspending
// this one, as any other text would.
const busyText = "insufficient capacity"

// refuse answers with the protocol's text for err, and its code.
func (x *aiJob) refuse(err error) {
	if x.r.Context().Err() != nil {
		// The gateway closed the connection; only the log has this.
		x.f.Status = status.Job(fault.Canceled)
		return
	}
	text := fault.Wire(err)
	switch {
	case x.own && fault.CodeOf(err) == fault.JobTooLarge:
		_, text = fault.Public(err) // with the limit
	case x.own:
	case fault.ClassOf(err) == fault.Busy && fault.CodeOf(err) != fault.ArtifactsFull:
		text = busyText
	default:
		text = inference.NetworkText(x.pipe.Capability, text)
	}
	x.f.Status = status.Job(err)
	x.w.Header().Set(rpc.CodeHeader, string(fault.CodeOf(err)))
	if after, ok := fault.RetryAfter(err); ok {
		x.w.Header().Set("Retry-After", strconv.Itoa(int(after/time.Second)))
	}
	x.answer.setDeadline(len(text))
	http.Error(x.w, text, x.f.Status)
}

// runnerFault handles a job without an answer. A gateway of the existing network gets its
// client's mistake in the form that it knows.
func (x *aiJob) runnerFault(err error) error {
	if !x.own && fault.ClassOf(err) == fault.BadRequest {
		x.relayRefusal(http.StatusBadRequest, inference.NetworkText(x.pipe.Capability, fault.Wire(err)), err)
	}
	return err
}

// relayRefusal answers a gateway of the existing network with a runner's refusal of its
// client's request. The gateway looks for "returned 400" in the text, whatever the runner
// returned, and suspends this node for any other text.
func (x *aiJob) relayRefusal(code int, text string, err error) {
	name := x.pipe.Name
	if x.pipe.Capability == capability.LLM {
		name = "LLM"
	}
	if code > http.StatusBadRequest && code < http.StatusInternalServerError {
		code = http.StatusBadRequest
	}
	x.f.Status = http.StatusInternalServerError
	if err != nil {
		x.w.Header().Set(rpc.CodeHeader, string(fault.CodeOf(err)))
	}
	x.answer.setDeadline(len(text))
	http.Error(x.w, name+" container returned "+strconv.Itoa(code)+": "+text, x.f.Status)
}

// runnerText returns the text of a runner's error body in one of the usual forms.
func runnerText(body []byte) string {
	text := inference.Message(body)
	if text == "" {
		text = strings.TrimSpace(string(body))
	}
	// A fault's public text is one line of bounded length.
	_, text = fault.Public(fault.New(fault.JobUnreadable, "", text))
	return text
}
