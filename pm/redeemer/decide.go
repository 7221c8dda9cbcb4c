package redeemer

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// parallelChecks is how many of a group's tickets are checked at once.
const parallelChecks = 8

// candidate is a ticket that this step may send.
type candidate struct {
	t    *ticket
	when term
	// value is the part of the sender's funds that is allocated to the ticket.
	value core.Wei
	est   protocol.Estimate
	// finished: this step is done with the ticket; err is the result.
	finished bool
	err      error
}

func (c *candidate) finish(err error) { c.finished, c.err = true, err }

// decide sends the tickets of a group that pay for their gas, and records why each of the others waits.
func (r *Redeemer) decide(ctx context.Context, group []*ticket, m *snapshot) []*candidate {
	all := make([]*candidate, len(group))
	for i, t := range group {
		all[i] = &candidate{t: t, when: r.termOf(t, m)}
	}
	forEach(all, func(c *candidate) {
		if tx, sent := m.sending[onceKey(c.t)]; sent {
			c.finish(r.recordSubmitted(ctx, c.t, tx))
		} else if c.when.over {
			c.finish(r.expire(ctx, c.t, c.when))
		}
	})
	r.allocateAll(ctx, unfinished(all), m)
	forEach(unfinished(all), func(c *candidate) {
		if err := r.checkCost(ctx, c, m); err != nil {
			r.release(c.t)
			c.finish(r.handleRefusal(ctx, c.t, c.when, err))
		}
	})
	r.sendAll(ctx, unfinished(all))
	return all
}

// unfinished returns the candidates that are not finished.
func unfinished(all []*candidate) []*candidate {
	return slices.DeleteFunc(slices.Clone(all), func(c *candidate) bool { return c.finished })
}

// forEach calls f for all candidates, parallelChecks at a time.
func forEach(all []*candidate, f func(*candidate)) {
	var g errgroup.Group
	g.SetLimit(parallelChecks)
	for _, c := range all {
		g.Go(func() error {
			f(c)
			return nil
		})
	}
	_ = g.Wait()
}

// allocateAll allocates the funds of the group's sender to its tickets, in order.
func (r *Redeemer) allocateAll(ctx context.Context, all []*candidate, m *snapshot) {
	if len(all) == 0 {
		return
	}
	funds, err := r.opt.Chain.SenderFunds(ctx, all[0].t.w.Ticket.Sender)
	for _, c := range all {
		refusal := err
		if refusal == nil {
			c.value, refusal = r.allocate(c.t, funds, m, c.when)
		}
		if refusal != nil {
			r.release(c.t)
			c.finish(r.handleRefusal(ctx, c.t, c.when, refusal))
		}
	}
}

const opRedeem = "redeem a ticket"
