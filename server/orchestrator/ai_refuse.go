package orchestrator

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/status"
)

// busyText makes gateways of the existing network go elsewhere without holding
// it against this node. Any other words would suspend it.
const busyText = "insufficient capacity"

// refuse answers with the protocol's text for err, and its code.
func (x *exchange) refuse(err error) {
	if x.r.Context().Err() != nil {
		// Nobody reads this; it is for the log.
		x.f.Status = status.Job(fault.Canceled)
		return
	}
	text := fault.Wire(err)
	switch {
	case x.own:
	case fault.ClassOf(err) == fault.Busy && fault.CodeOf(err) != fault.ArtifactsFull:
		text = busyText
	default:
		text = inference.NetworkText(x.pipe.Capability, text)
	}
	x.f.Status = status.Job(err)
	x.w.Header().Set(codeHeader, string(fault.CodeOf(err)))
	if after, ok := fault.RetryAfter(err); ok {
		x.w.Header().Set("Retry-After", strconv.Itoa(int(after/time.Second)))
	}
	x.answer.arm(len(text))
	http.Error(x.w, text, x.f.Status)
}

// runnerFault is a job that came to no answer. A gateway of the existing network
// is told of its client's mistake in the words that it knows.
func (x *exchange) runnerFault(err error) error {
	if !x.own && fault.ClassOf(err) == fault.BadRequest {
		x.told(http.StatusBadRequest, inference.NetworkText(x.pipe.Capability, fault.Wire(err)), err)
	}
	return err
}

// told answers a gateway of the existing network with what a runner said of its
// client's request. It looks for "returned 400" in the text, whatever the runner
// returned, and holds any other words against this node.
func (x *exchange) told(code int, text string, err error) {
	name := x.pipe.Name
	if x.pipe.Capability == capability.LLM {
		name = "LLM"
	}
	if code > http.StatusBadRequest && code < http.StatusInternalServerError {
		code = http.StatusBadRequest
	}
	x.f.Status = http.StatusInternalServerError
	if err != nil {
		x.w.Header().Set(codeHeader, string(fault.CodeOf(err)))
	}
	x.answer.arm(len(text))
	http.Error(x.w, name+" container returned "+strconv.Itoa(code)+": "+text, x.f.Status)
}

// runnerText is what a runner's error body says, in whichever of the usual forms.
func runnerText(body []byte) string {
	text := inference.Message(body)
	if text == "" {
		text = strings.TrimSpace(string(body))
	}
	// Through a fault, whose public text is one line of bounded length.
	_, text = fault.Public(fault.New(fault.JobUnreadable, "", text))
	return text
}
