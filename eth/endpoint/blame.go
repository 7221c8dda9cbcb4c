package endpoint

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
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
			p.quarantine(o.from, "its answer to \""+q.op+"\" is another than that of the other endpoints")
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

// quarantine keeps requests from an endpoint for a while. Its newest block is still polled, but does not
// count.
func (p *Pool) quarantine(r *remote, why string) {
	r.mu.Lock()
	r.quarantinedUntil, r.quarantineReason = p.opt.Now().Add(quarantineTime), why
	r.unproven, r.refutations = protocol.Head{}, 0
	r.mu.Unlock()
	if second := p.secondBest(r); second.from != nil {
		p.withdraw(r, second)
	}
	p.report(r)
}

// quarantinedLocked reports whether the endpoint gave a false answer recently.
func (r *remote) quarantinedLocked(now time.Time) bool { return now.Before(r.quarantinedUntil) }
