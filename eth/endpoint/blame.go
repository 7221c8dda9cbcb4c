package endpoint

import (
	"context"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// blame asks the endpoints that differed from the quorum once more, and a member of the quorum: an endpoint
// whose answer differs again is quarantined. An error of its software is no false answer.
func blame[T any](ctx context.Context, p *Pool, q quorumRead[T], chosen ballot[T], others []ballot[T]) {
	if !q.deterministic || len(others) == 0 || !sleep(ctx, nil, behindPause) {
		return
	}
	right := askOnce(ctx, q, chosen.from)
	for _, o := range others {
		if o.refusal != nil && !o.refusal.reverts() {
			continue
		}
		if again := askOnce(ctx, q, o.from); right != nil && again != nil && !q.alike(*right, *again) {
			p.quarantine(o.from, "its answer to \""+q.op+"\" differs from the other endpoints' answer")
		}
	}
}

// askOnce returns an endpoint's answer, nil for none.
func askOnce[T any](ctx context.Context, q quorumRead[T], r *remote) *ballot[T] {
	t := &tally[T]{}
	t.count(vote[T]{r, attempt(ctx, r, q.query, q.try)})
	if len(t.ballots) == 0 {
		return nil
	}
	return &t.ballots[0]
}

// setDisputed sets the condition of an answer without a quorum and returns the fault.
func (p *Pool) setDisputed(op, names string) error {
	if p.opt.Board != nil {
		p.opt.Board.Set(health.Key{Code: fault.ChainDisputed}, names+" contradict one another")
	}
	return fault.New(fault.ChainDisputed, op, names+" answer differently")
}

func (p *Pool) clearDisputed() {
	if p.opt.Board != nil && len(p.remotes) > 1 {
		p.opt.Board.Clear(health.Key{Code: fault.ChainDisputed})
	}
}
