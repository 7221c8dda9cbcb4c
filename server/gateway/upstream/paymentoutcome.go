package upstream

import (
	"context"
	"net/http"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm/sender"
)

// outcomeOfCode returns what a refusal's code means for the request's payment; false where the code
// does not tell.
func outcomeOfCode(err error) (sender.Outcome, bool) {
	code := fault.CodeOf(err)
	switch code {
	case fault.InsufficientBalance:
		return sender.Short, true
	case fault.OrchestratorFull, fault.OrchestratorCapped, fault.InvalidAuthToken, fault.ExpiredAuthToken,
		fault.MissingAuthToken:
		return sender.Refused, true
	}
	if code.Class() == fault.Payment {
		return sender.Refused, true
	}
	return sender.Failed, false
}

// jobOutcome returns what a job's refusal means for its payment. Tutti nodes bill nothing
// for it; others may have begun the work when they fail with status 500, or with 400 and the
// runner's message.
func jobOutcome(err error, status int, own bool) sender.Outcome {
	how, known := outcomeOfCode(err)
	switch {
	case known:
		return how
	case !own && isRunnerRefusal(err):
		return sender.InputBad // the network bills what its model server answered
	case own, status == http.StatusPaymentRequired, status == http.StatusForbidden,
		status == http.StatusServiceUnavailable:
		return sender.Refused
	}
	return sender.Failed
}

// requestMayCause reports whether a job's refusal may be caused by the request, such as a prompt
// too long for the model, or by the number of requests. Clients control both, so honest
// orchestrators must not lose credit for it.
func requestMayCause(err error) bool {
	code := fault.CodeOf(err)
	switch code.Class() {
	case fault.BadRequest, fault.Busy:
		return true
	}
	return code == fault.JobFailed
}

// segmentOutcome returns the same for a segment, where every refusal comes before the work.
func segmentOutcome(err error) sender.Outcome {
	if how, known := outcomeOfCode(err); known {
		return how
	}
	return sender.Refused
}

// outcomeWithoutAnswer is for a request without an answer. ctx is the client's.
func outcomeWithoutAnswer(ctx context.Context, err error) sender.Outcome {
	if notSent(err) {
		return sender.Unsent
	}
	return outcomeOfFailure(ctx)
}

// outcomeOfFailure is for a request that was sent and failed, perhaps because the client left. A
// deadline is this gateway's, and the orchestrator has to keep it.
func outcomeOfFailure(ctx context.Context) sender.Outcome {
	if ctx.Err() == context.Canceled && !frozen(ctx) {
		return sender.Abandoned
	}
	return sender.Failed
}
