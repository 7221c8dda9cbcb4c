package upstream

import (
	"context"
	"net/http"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm/sender"
)

// refusedCode says what an orchestrator's refusal means for the payment that was
// with the request, by what it names; false where that does not tell.
func refusedCode(err error) (sender.Outcome, bool) {
	code := fault.CodeOf(err)
	switch code {
	case fault.InsufficientBalance:
		return sender.Short, true
	case fault.OrchestratorFull, fault.OrchestratorCapped, fault.InvalidAuthToken, fault.ExpiredAuthToken, fault.MissingAuthToken:
		return sender.Refused, true
	}
	if code.Class() == fault.Payment {
		return sender.Refused, true
	}
	return sender.Failed, false
}

// refusedJob says what a job's refusal means for its payment. Nodes of our own kind
// bill nothing of it; others have perhaps begun when they fail with status 500, or
// with 400 for what the runner says.
func refusedJob(err error, status int, own bool) sender.Outcome {
	how, told := refusedCode(err)
	switch {
	case told:
		return how
	case !own && runnersWord(err):
		return sender.InputBad // the network bills what its model server has answered
	case own, status == http.StatusPaymentRequired, status == http.StatusForbidden, status == http.StatusServiceUnavailable:
		return sender.Refused
	}
	return sender.Failed
}

// requestMayCause reports whether a job's refusal may have its reason in the request, such
// as a prompt that is too long for the model, or in how many there are. Clients can send what
// they like, and no honest orchestrator loses its credit by that.
func requestMayCause(err error) bool {
	code := fault.CodeOf(err)
	switch code.Class() {
	case fault.BadRequest, fault.Busy:
		return true
	}
	return code == fault.JobFailed
}

// refusedSegment is the same for a segment, of which every refusal comes before the
// work.
func refusedSegment(err error) sender.Outcome {
	if how, told := refusedCode(err); told {
		return how
	}
	return sender.Refused
}

// unanswered is for a request without an answer. ctx is the client's.
func unanswered(ctx context.Context, err error) sender.Outcome {
	if notSent(err) {
		return sender.Unsent
	}
	return failed(ctx)
}

// failed is for what was sent and came to nothing, which a client that left may be the
// cause of. A deadline is this gateway's, and the orchestrator's to keep.
func failed(ctx context.Context) sender.Outcome {
	if ctx.Err() == context.Canceled && !frozen(ctx) {
		return sender.Abandoned
	}
	return sender.Failed
}
