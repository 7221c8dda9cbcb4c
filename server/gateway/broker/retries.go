package broker

import (
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// retryAction is what to do at the same orchestrator after a failure.
type retryAction int

const (
	// giveUp: nothing; another orchestrator may do better.
	giveUp retryAction = iota
	// withNewTerms: ask for new terms, and send the job under them.
	withNewTerms
	// payMore: send the job with another payment.
	payMore
)

// retries counts what was retried at one orchestrator. A payment is never sent twice: each time the
// job is sent, it has a new one.
type retries struct {
	tokens, params, short, usedUp int
}

// next returns what to do about a failure. free: the job is not paid for.
func (r *retries) next(err error, free bool) retryAction {
	code := fault.CodeOf(err)
	_, paid := upstream.Lost(err)
	if upstream.Unpaid(err) {
		if code != fault.TicketParamsStale {
			return giveUp
		}
		return count(&r.usedUp, maxUsedUp, withNewTerms)
	}
	switch code {
	case fault.InvalidAuthToken, fault.ExpiredAuthToken, fault.MissingAuthToken, fault.ExpectedPriceWrong:
		return count(&r.tokens, maxTokens, withNewTerms)
	case fault.TicketParamsStale, fault.TicketParamsForeign:
		most := maxParams
		if paid {
			most = maxPaidParams
		}
		return count(&r.params, most, withNewTerms)
	case fault.InsufficientBalance:
		if free {
			return giveUp
		}
		return count(&r.short, maxShort, payMore)
	}
	return giveUp
}

// sum returns the total number of retries.
func (r *retries) sum() int { return r.tokens + r.params + r.short + r.usedUp }

func count(n *int, most int, what retryAction) retryAction {
	if *n++; *n > most {
		return giveUp
	}
	return what
}
