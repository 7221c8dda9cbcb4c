package endpoint

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
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

// voteGrace is how long the others have after one endpoint answered, except where a majority is required. An
// endpoint that does not answer in this time counts as failing.
const voteGrace = 2 * time.Second

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

// ballot is one endpoint's answer: a value, or the error of a call.
type ballot[T any] struct {
	from    *remote
	value   T
	refusal *RPCError
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

// alike compares two ballots.
func (q quorumRead[T]) alike(a, b ballot[T]) bool {
	if a.refusal == nil && b.refusal == nil {
		return q.same(a.value, b.value)
	}
	return a.refusal != nil && b.refusal != nil && sameRefusal(a.refusal, b.refusal)
}

// sameRefusal compares the errors of calls: by their data where both have some, because the messages differ
// between node implementations.
func sameRefusal(a, b *RPCError) bool {
	if a.Data != nil && b.Data != nil {
		return fmt.Sprint(a.Data) == fmt.Sprint(b.Data)
	}
	return a.reverts() == b.reverts()
}

// reverts reports whether the contract refused, and not the endpoint's software.
func (e *RPCError) reverts() bool {
	return e.Code == 3 || e.Data != nil || strings.Contains(strings.ToLower(e.Message), "revert")
}

// tally is the result of one voting round.
type tally[T any] struct {
	ballots  []ballot[T]
	failures []*failure
	// lagging counts the endpoints that lack the block but keep getting new ones.
	lagging int
}

// largest returns the group of equal ballots with most providers, and the ballots that differ from it.
func (t *tally[T]) largest(q quorumRead[T]) (chosen, others []ballot[T]) {
	for _, one := range t.ballots {
		var in, out []ballot[T]
		for _, b := range t.ballots {
			if q.alike(one, b) {
				in = append(in, b)
			} else {
				out = append(out, b)
			}
		}
		if t.votes(in) > t.votes(chosen) {
			chosen, others = in, out
		}
	}
	return chosen, others
}

// names returns the endpoints that answered.
func (t *tally[T]) names() string {
	all := make([]string, len(t.ballots))
	for i, b := range t.ballots {
		all[i] = b.from.addr.name
	}
	return strings.Join(all, ", ")
}

// voteRound is one round of asking. One goroutine owns it; the goroutines it starts only send on answers.
type voteRound[T any] struct {
	q       quorumRead[T]
	order   []*remote
	running int
	answers chan vote[T]
	wg      sync.WaitGroup
}

type vote[T any] struct {
	from *remote
	outcome[T]
}

// collectVotes asks a quorum of the best endpoints in parallel, and further ones where one fails, is slow or
// differs.
func collectVotes[T any](ctx context.Context, p *Pool, q quorumRead[T]) *tally[T] {
	ctx, cancel := context.WithCancel(ctx)
	c := &voteRound[T]{q: q, order: providersFirst(p.ranked())}
	c.answers = make(chan vote[T], len(c.order))
	defer c.wg.Wait()
	defer cancel()
	t := &tally[T]{}
	first := c.launch(ctx)
	for n := 1; n < q.needed(p) && first != nil && c.launch(ctx) != nil; n++ {
	}
	if first == nil {
		return t
	}
	hedge := time.NewTimer(p.hedgeDelay(first, q.query))
	defer hedge.Stop()
	var late <-chan time.Time
	for c.running > 0 {
		select {
		case <-ctx.Done():
			return t
		case <-late:
			return t
		case <-hedge.C:
			if r := c.launch(ctx); r != nil {
				hedge.Reset(p.hedgeDelay(r, q.query))
			}
		case got := <-c.answers:
			c.running--
			t.count(got)
			if p.isCatchingUp(got.from, got.err) {
				t.lagging++
			}
			if chosen, _ := t.largest(q); t.votes(chosen) >= q.needed(p) {
				return t
			}
			if late == nil && len(t.ballots) > 0 && !q.majority {
				grace := time.NewTimer(voteGrace * time.Duration(max(q.large, 1)))
				defer grace.Stop()
				late = grace.C
			}
			if got.failed() || c.running == 0 {
				c.launch(ctx)
			}
		}
	}
	return t
}

// launch asks the next endpoint that accepts a request; nil when there is none.
func (c *voteRound[T]) launch(ctx context.Context) *remote {
	for len(c.order) > 0 {
		r := c.order[0]
		c.order = c.order[1:]
		if !r.tryAcquire() {
			continue
		}
		c.running++
		c.wg.Go(func() {
			defer r.release()
			c.answers <- vote[T]{r, attempt(ctx, r, c.q.query, c.q.try)}
		})
		return r
	}
	return nil
}

// failed reports whether the endpoint gave no answer.
func (o outcome[T]) failed() bool {
	_, failed := o.err.(*failure)
	return failed
}

// count adds an answer to the tally.
func (t *tally[T]) count(got vote[T]) {
	switch err := got.err.(type) {
	case nil:
		t.ballots = append(t.ballots, ballot[T]{from: got.from, value: got.value})
	case *RPCError:
		t.ballots = append(t.ballots, ballot[T]{from: got.from, refusal: err})
	case *failure:
		t.failures = append(t.failures, err)
	}
}

// isCatchingUp reports whether an error says that the endpoint lacks a block which it may have soon: its
// newest block still advances.
func (p *Pool) isCatchingUp(r *remote, err error) bool {
	f, failed := err.(*failure)
	return failed && f.kind == behind && r.headAge(p.opt.Now()) <= p.opt.StaleAfter
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
