package endpoint

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// voteGrace is how long the others have after one endpoint answered, except where a majority is required. An
// endpoint that does not answer in this time counts as failing.
const voteGrace = 2 * time.Second

// ballot is one endpoint's answer: a value, or the error of a call.
type ballot[T any] struct {
	from    *remote
	value   T
	refusal *RPCError
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
	candidates
	q       quorumRead[T]
	answers chan vote[T]
}

type vote[T any] struct {
	from *remote
	outcome[T]
}

// collectVotes asks a quorum of the best endpoints in parallel, and further ones where one fails, is slow or
// differs.
func collectVotes[T any](ctx context.Context, p *Pool, q quorumRead[T]) *tally[T] {
	ctx, cancel := context.WithCancel(ctx)
	c := &voteRound[T]{candidates: candidates{order: providersFirst(p.ranked())}, q: q}
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
	return c.ask(func(r *remote) { c.answers <- vote[T]{r, attempt(ctx, r, c.q.query, c.q.try)} })
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
