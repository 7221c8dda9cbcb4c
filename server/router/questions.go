package router

import (
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tuttinode/tutti/core/fault"
	board "github.com/tuttinode/tutti/core/health"
)

const (
	// freeQuestions are at one orchestrator at once, from any address.
	freeQuestions = 128
	// mostQuestions are there at most: those above freeQuestions are for addresses with
	// less than their share. Nodes of the network take 250 on a connection.
	mostQuestions = 240
	// manyMissed answers between two looks, and none that came, set a condition.
	manyMissed = 2
)

var errBusy = errors.New("too many questions are unanswered")

// answered counts what came of a question. A refusal is an answer.
func (b *backend) answered(err error) {
	switch code := status.Code(err); {
	case errors.Is(err, errBusy) || code == codes.DeadlineExceeded || code == codes.Unavailable:
		b.missed.Add(1)
	case code != codes.Canceled:
		b.answers.Add(1)
	}
}

// checkAnswers keeps the condition that names an orchestrator that is there and does not
// answer. It looks at what came since the last time, so that strangers who ask a lot do
// not have it change often.
func (r *Router) checkAnswers(b *backend, there bool) {
	key := board.Key{Code: fault.OffersUnanswered, About: b.addr}
	switch missed, answers := b.missed.Swap(0), b.answers.Swap(0); {
	case answers > 0 || !there: // one that is gone has a condition of its own
		r.opt.Board.Clear(key)
	case missed >= manyMissed:
		r.opt.Board.Set(key, "the last questions for an offer got no answer in time")
	}
}
