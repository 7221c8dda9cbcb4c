package endpoint

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
)

// The patience of a vote: how often it is taken while endpoints lack the block, which
// is longer than an endpoint within maxLead of the others needs for it, and how often
// while they differ, because a reorganisation may lie between two answers.
const (
	catchUpRounds = 25
	disputeRounds = 3
)

// voteGrace is how long the others have after one endpoint answered, except where proof is
// wanted. One that does not answer in this time counts as one that fails.
const voteGrace = 2 * time.Second

// question is a read that more than one endpoint must answer alike.
type question[T any] struct {
	query
	// same compares two answers.
	same func(a, b T) bool
	// pick chooses of answers that are the same; nil takes any.
	pick func([]T) T
	// proof: where several endpoints are given, more than half of those in use have to
	// answer alike, and at least two, even while no other answers.
	proof bool
	// firm: an honest endpoint always answers the same, so that another answer is a
	// false one.
	firm bool
	// patience is how often endpoints that lack the block are waited for.
	patience int
	try      func(context.Context, *remote) (T, error)
}

// ballot is what one endpoint answered: a value, or the error of a call.
type ballot[T any] struct {
	from    *remote
	value   T
	refusal *RPCError
}

// quorum is how many endpoints, of different hosts, must answer alike: so many that a minority which
// lies cannot be as many, and two where two are given.
func (p *Pool) quorum() int {
	n := voices(p.remotes, itself)
	if n == 1 {
		return 1
	}
	return max(2, (n+1)/2)
}

// needed is how many endpoints must answer a question alike when others differ.
func (q question[T]) needed(p *Pool) int {
	if !q.proof {
		return p.quorum()
	}
	return max(p.quorum(), p.majority())
}

// majority is more than half of the endpoints in use, and at least two where several are
// given. A few that lie must not be it because the others are slow or failed once.
func (p *Pool) majority() int {
	if voices(p.remotes, itself) == 1 {
		return 1
	}
	var used []*remote
	now := p.opt.Now()
	for _, r := range p.remotes {
		if r.inUse(now, p.opt.StaleAfter) {
			used = append(used, r)
		}
	}
	return max(2, voices(used, itself)/2+1)
}

// inUse reports whether the endpoint counts as one that could answer: it is not out of use
// for more than a moment, gave no false answer recently, and gets new blocks.
func (r *remote) inUse(now time.Time, staleAfter time.Duration) bool {
	if r.silence(now) > staleAfter {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.down() && !r.distrusted(now)
}

// agree asks endpoints until a quorum answers alike. While others fail, the answer
// of those that are left counts; where the question wants proof, that of a majority of the
// endpoints in use. An endpoint whose
// answer differs from that of the quorum is not used any more for a while. The error
// is the fault ChainDisputed when there is no quorum for any answer.
func agree[T any](ctx context.Context, p *Pool, q question[T]) (T, error) {
	var none T
	if q.patience == 0 {
		q.patience = catchUpRounds
	}
	for round := 1; ; round++ {
		t := collect(ctx, p, q)
		if ctx.Err() != nil {
			return none, fmt.Errorf("%s: %w", q.op, ctx.Err())
		}
		chosen, others := t.largest(q)
		switch {
		case t.voices(chosen) >= q.needed(p):
			p.undisputed()
			blame(ctx, p, q, chosen[0], others)
			return q.result(chosen)
		case len(t.ballots) == 0 && (!anyBehind(t.failures) || round >= behindRounds):
			return none, p.unanswered(q.op, t.failures)
		case len(t.ballots) > 0 && len(others) == 0 && t.lagging == 0:
			if !q.proof || t.voices(chosen) >= p.majority() {
				return q.result(chosen)
			}
			return none, fault.New(fault.ChainDisputed, q.op,
				fmt.Sprintf("only %s answered; %d endpoints have to answer alike", t.names(), p.majority()))
		case len(others) > 0 && round >= disputeRounds:
			return none, p.disputed(q.op, t.names())
		case round >= q.patience:
			p.doubt(q.floor)
			return none, p.unanswered(q.op, t.failures)
		}
		if !rest(ctx, nil, behindPause) {
			return none, fmt.Errorf("%s: %w", q.op, ctx.Err())
		}
	}
}

// result is what a group of equal ballots says.
func (q question[T]) result(chosen []ballot[T]) (T, error) {
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
func (q question[T]) alike(a, b ballot[T]) bool {
	if a.refusal == nil && b.refusal == nil {
		return q.same(a.value, b.value)
	}
	return a.refusal != nil && b.refusal != nil && sameRefusal(a.refusal, b.refusal)
}

// sameRefusal compares the errors of calls: by their data where both have some,
// because every software has words of its own.
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

// tally is what came of asking.
type tally[T any] struct {
	ballots  []ballot[T]
	failures []*failure
	// lagging counts the endpoints that lack the block and go on getting others.
	lagging int
}

// largest is the group of equal ballots of most hosts, and those that differ from it.
func (t *tally[T]) largest(q question[T]) (chosen, others []ballot[T]) {
	for _, one := range t.ballots {
		var in, out []ballot[T]
		for _, b := range t.ballots {
			if q.alike(one, b) {
				in = append(in, b)
			} else {
				out = append(out, b)
			}
		}
		if t.voices(in) > t.voices(chosen) {
			chosen, others = in, out
		}
	}
	return chosen, others
}

// names are the endpoints that answered.
func (t *tally[T]) names() string {
	all := make([]string, len(t.ballots))
	for i, b := range t.ballots {
		all[i] = b.from.to.name
	}
	return strings.Join(all, ", ")
}

// poll is one round of asking. One goroutine owns it; those it starts send on
// answers alone.
type poll[T any] struct {
	q       question[T]
	order   []*remote
	running int
	answers chan vote[T]
	wg      sync.WaitGroup
}

type vote[T any] struct {
	from *remote
	outcome[T]
}

// collect asks a quorum of the best endpoints at once, and further ones where one
// fails, is slow or differs.
func collect[T any](ctx context.Context, p *Pool, q question[T]) *tally[T] {
	ctx, cancel := context.WithCancel(ctx)
	c := &poll[T]{q: q, order: apart(p.ranked())}
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
			if p.lags(got.from, got.err) {
				t.lagging++
			}
			if chosen, _ := t.largest(q); t.voices(chosen) >= q.needed(p) {
				return t
			}
			if late == nil && len(t.ballots) > 0 && !q.proof {
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

// launch asks the next endpoint that takes a request; nil when there is none.
func (c *poll[T]) launch(ctx context.Context) *remote {
	for len(c.order) > 0 {
		r := c.order[0]
		c.order = c.order[1:]
		if !r.admit() {
			continue
		}
		c.running++
		c.wg.Go(func() {
			defer r.leave()
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

// count takes an answer into the tally.
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

// lags reports whether an error says that the endpoint lacks a block which it may have
// soon: its newest block does not stand still.
func (p *Pool) lags(r *remote, err error) bool {
	f, failed := err.(*failure)
	return failed && f.kind == behind && r.silence(p.opt.Now()) <= p.opt.StaleAfter
}

// blame asks those that differed from the quorum once more, and a member of the
// quorum: an endpoint whose answer is another one again is named and left alone. An
// error of its software is no false answer.
func blame[T any](ctx context.Context, p *Pool, q question[T], chosen ballot[T], others []ballot[T]) {
	if !q.firm || len(others) == 0 || !rest(ctx, nil, behindPause) {
		return
	}
	right := once(ctx, q, chosen.from)
	for _, o := range others {
		if o.refusal != nil && !o.refusal.reverts() {
			continue
		}
		if again := once(ctx, q, o.from); right != nil && again != nil && !q.alike(*right, *again) {
			p.distrust(o.from, "its answer to \""+q.op+"\" is another than that of the other endpoints")
		}
	}
}

// once is an endpoint's answer, nil for none.
func once[T any](ctx context.Context, q question[T], r *remote) *ballot[T] {
	t := &tally[T]{}
	t.count(vote[T]{r, attempt(ctx, r, q.query, q.try)})
	if len(t.ballots) == 0 {
		return nil
	}
	return &t.ballots[0]
}

// disputed is the fault, and the condition, of an answer for which there is no
// quorum.
func (p *Pool) disputed(op, names string) error {
	if p.opt.Board != nil {
		p.opt.Board.Set(health.Key{Code: fault.ChainDisputed}, names+" contradict one another")
	}
	return fault.New(fault.ChainDisputed, op, names+" answer differently")
}

func (p *Pool) undisputed() {
	if p.opt.Board != nil && len(p.remotes) > 1 {
		p.opt.Board.Clear(health.Key{Code: fault.ChainDisputed})
	}
}

// askAll is agree for one request about a block.
func askAll[T any](ctx context.Context, p *Pool, q query, same func(a, b T) bool, parse func([]byte) (T, *failure),
	method string, params ...any) (T, error) {
	return agree(ctx, p, question[T]{query: q, same: same, firm: true,
		try: func(ctx context.Context, r *remote) (T, error) {
			return ask(ctx, r, r.timeout, parse, method, params...)
		}})
}

func equal[T comparable](a, b T) bool { return a == b }

// pinned is a block that all endpoints can be asked about: the one that is named, or
// the newest that is known.
func (p *Pool) pinned(ctx context.Context, block protocol.L2Block) (protocol.L2Block, error) {
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
