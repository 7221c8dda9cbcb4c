package endpoint

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// How often a vote is repeated: while endpoints lack the block, for longer than an endpoint within maxLead of
// the others needs to get it; and while they differ, because a reorg may have happened between two
// answers.
const (
	catchUpRounds = 25
	disputeRounds = 3
)

// quorumRead is a read that more than one endpoint must answer alike.
type quorumRead[T any] struct {
	query
	// same compares two answers.
	same func(a, b T) bool
	// pick chooses among equal answers; nil takes any.
	pick func([]T) T
	// majority: where several endpoints are configured, more than half of those in use, and at least two, have
	// to answer alike, even while no other answers.
	majority bool
	// deterministic: an honest endpoint always gives the same answer, so that a different one is false.
	deterministic bool
	// rounds is how often endpoints that lack the block are asked.
	rounds int
	try    func(context.Context, *remote) (T, error)
}

// quorum returns how many endpoints, of different hosts, must answer alike: more than a lying minority can be, and
// two where two are configured.
func (p *Pool) quorum() int {
	n := countProviders(p.remotes, identity)
	if n == 1 {
		return 1
	}
	return max(2, (n+1)/2)
}

// needed returns how many endpoints must answer a read alike when others differ.
func (q quorumRead[T]) needed(p *Pool) int {
	if !q.majority {
		return p.quorum()
	}
	return max(p.quorum(), p.majority())
}

// majority is more than half of the endpoints in use, and at least two where several are configured. A few
// lying endpoints must not become it because the others are slow or failed once.
func (p *Pool) majority() int {
	if countProviders(p.remotes, identity) == 1 {
		return 1
	}
	var used []*remote
	now := p.opt.Now()
	for _, r := range p.remotes {
		if r.inUse(now, p.opt.StaleAfter) {
			used = append(used, r)
		}
	}
	return max(2, countProviders(used, identity)/2+1)
}

// inUse reports whether the endpoint could answer: it is not out of use for more than a moment, gave no false
// answer recently, and gets new blocks.
func (r *remote) inUse(now time.Time, staleAfter time.Duration) bool {
	if r.headAge(now) > staleAfter {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.downLocked() && !r.quarantinedLocked(now)
}

// readQuorum asks endpoints until a quorum answers alike. While others fail, the answer of those that are
// left counts; where a majority is required, that of a majority of the endpoints in use. An endpoint whose
// answer differs from the quorum's twice is quarantined. The error is the fault ChainDisputed when no answer
// has a quorum.
func readQuorum[T any](ctx context.Context, p *Pool, q quorumRead[T]) (T, error) {
	var none T
	if q.rounds == 0 {
		q.rounds = catchUpRounds
	}
	for round := 1; ; round++ {
		t := collectVotes(ctx, p, q)
		if ctx.Err() != nil {
			return none, fmt.Errorf("%s: %w", q.op, ctx.Err())
		}
		chosen, others := t.largest(q)
		switch {
		case t.votes(chosen) >= q.needed(p):
			p.clearDisputed()
			blame(ctx, p, q, chosen[0], others)
			return q.result(chosen)
		case len(t.ballots) == 0 && (!anyBehind(t.failures) || round >= behindRounds):
			return none, p.unanswered(q.op, t.failures)
		case len(t.ballots) > 0 && len(others) == 0 && t.lagging == 0:
			if !q.majority || t.votes(chosen) >= p.majority() {
				return q.result(chosen)
			}
			return none, fault.New(fault.ChainDisputed, q.op,
				fmt.Sprintf("only %s answered; %d endpoints have to answer alike", t.names(), p.majority()))
		case len(others) > 0 && round >= disputeRounds:
			return none, p.setDisputed(q.op, t.names())
		case round >= q.rounds:
			p.withdrawUnconfirmed(q.minBlock)
			return none, p.unanswered(q.op, t.failures)
		}
		if !sleep(ctx, nil, behindPause) {
			return none, fmt.Errorf("%s: %w", q.op, ctx.Err())
		}
	}
}

// result returns the common answer of a group of equal ballots.
func (q quorumRead[T]) result(chosen []ballot[T]) (T, error) {
	if chosen[0].refusal != nil {
		return chosen[0].value, chosen[0].refusal
	}
	if q.pick == nil {
		return chosen[0].value, nil
	}
	values := make([]T, len(chosen))
	for i, b := range chosen {
		values[i] = b.value
	}
	return q.pick(values), nil
}

// readQuorumValue is readQuorum for one request about a block.
func readQuorumValue[T any](ctx context.Context, p *Pool, q query, same func(a, b T) bool,

	parse func([]byte) (T, *failure),
	method string, params ...any) (T, error) {
	return readQuorum(ctx, p, quorumRead[T]{query: q, same: same, deterministic: true,
		try: func(ctx context.Context, r *remote) (T, error) {
			return ask(ctx, r, r.timeout, parse, method, params...)
		}})
}

func equal[T comparable](a, b T) bool { return a == b }

// pinBlock returns a block that all endpoints can be asked about: the given one, or the newest known one.
func (p *Pool) pinBlock(ctx context.Context, block protocol.L2Block) (protocol.L2Block, error) {
	if block != 0 || len(p.remotes) == 1 {
		return block, nil
	}
	if n := p.newest(); n != 0 {
		return n, nil
	}
	head, err := p.Head(ctx)
	return head.Number, err
}

func sameBytes(a, b []byte) bool { return bytes.Equal(a, b) }
