package router

import (
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tuttinode/tutti/core/fault"
	board "github.com/tuttinode/tutti/core/health"
)

const (
	// freeCalls is how many calls one orchestrator gets in parallel, from any address.
	freeCalls = 128
	// maxCalls is the limit: calls above freeCalls are for addresses with less than their
	// share. Nodes of the network accept 250 on a connection.
	maxCalls = 240
	// maxMissed calls without an answer between two checks, and none with one, set a
	// condition.
	maxMissed = 2
)

var errBusy = errors.New("too many calls are unanswered")

// answered counts a call's result. A refusal counts as an answer.
func (b *backend) answered(err error) {
	switch code := status.Code(err); {
	case errors.Is(err, errBusy) || code == codes.DeadlineExceeded || code == codes.Unavailable:
		b.missed.Add(1)
	case code != codes.Canceled:
		b.answers.Add(1)
	}
}

// checkAnswers maintains the condition of an orchestrator that is reachable but does not
// answer calls. It counts since the last check, so that a flood of requests does not toggle
// the condition.
func (r *Router) checkAnswers(b *backend, there bool) {
	key := board.Key{Code: fault.OffersUnanswered, About: b.addr}
	switch missed, answers := b.missed.Swap(0), b.answers.Swap(0); {
	case answers > 0 || !there: // an unreachable one has another condition
		r.opt.Board.Clear(key)
	case missed >= maxMissed:
		r.opt.Board.Set(key, "the last requests for an offer got no answer in time")
	}
}
