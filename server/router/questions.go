package router

import (
	"errors"
	"net/netip"
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tuttinode/tutti/core/fault"
	board "github.com/tuttinode/tutti/core/health"
)

const (
	// freeQuestions are at one orchestrator at once, whoever asks them.
	freeQuestions = 128
	// mostQuestions are there at most: those above freeQuestions are for addresses with
	// less than their share. Nodes of the network take 250 on a connection.
	mostQuestions = 240
	// manyMissed answers between two looks, and none that came, set a condition.
	manyMissed = 2
)

var errBusy = errors.New("too many questions are unanswered")

// questions counts those that one orchestrator has not answered, by the address that
// asked. The zero value is ready for use.
type questions struct {
	mu sync.Mutex
	// open and from are guarded by mu.
	open int
	from map[netip.Prefix]int
}

// enter counts one more, if the address may ask it now.
func (q *questions) enter(from netip.Prefix) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.from == nil {
		q.from = make(map[netip.Prefix]int)
	}
	own := q.from[from]
	share := max(1, freeQuestions/max(1, len(q.from)))
	if q.open >= freeQuestions && (q.open >= mostQuestions || own >= share) {
		return false
	}
	q.open++
	q.from[from] = own + 1
	return true
}

func (q *questions) leave(from netip.Prefix) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.open--
	if q.from[from]--; q.from[from] == 0 {
		delete(q.from, from)
	}
}

// answered counts what came of a question. A refusal is an answer.
func (b *backend) answered(err error) {
	switch code := status.Code(err); {
	case errors.Is(err, errBusy) || code == codes.DeadlineExceeded || code == codes.Unavailable:
		b.missed.Add(1)
	case code != codes.Canceled:
		b.answers.Add(1)
	}
}

// judgeAnswers keeps the condition that names an orchestrator that is there and does not
// answer. It looks at what came since the last time, so that strangers who ask a lot do
// not have it change often.
func (r *Router) judgeAnswers(b *backend, there bool) {
	key := board.Key{Code: fault.OffersUnanswered, About: b.addr}
	switch missed, answers := b.missed.Swap(0), b.answers.Swap(0); {
	case answers > 0 || !there: // one that is gone has a condition of its own
		r.opt.Board.Clear(key)
	case missed >= manyMissed:
		r.opt.Board.Set(key, "the last questions for an offer got no answer in time")
	}
}
