package redeemer

import (
	"context"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// unfinished are the states of tickets that are loaded at the start. Those beyond won are from
// a time when this process redeemed; the redeemer finds out what became of them. Package
// pm/redeemer's PayoutWatcher follows mined ones.
func unfinished() []pm.TicketState {
	return []pm.TicketState{pm.TicketWon, pm.TicketQueued, pm.TicketSubmitted}
}

// hasCapacity reports whether tickets that stayed in the ledger can be loaded: in all, and for
// a gateway that has some there.
func (c *Client) hasCapacity() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.opt.Waiting-len(c.tickets) < (c.opt.WaitingEach+1)/2 {
		return false
	}
	for sender := range c.overflowed {
		if c.has[sender] <= c.opt.WaitingEach/2 {
			return true
		}
	}
	return false
}

// load loads tickets from the ledger, the oldest first because they expire first, within the
// limits. It skips gateways at their limit: one gateway's tickets may be refused for days.
func (c *Client) load(ctx context.Context) error {
	c.mu.Lock()
	clear(c.overflowed) // gateways that exceed a limit now are added again
	c.mu.Unlock()
	f := ledger.Filter{States: unfinished(), Recipient: c.opt.Recipient, Limit: c.opt.Waiting + 1, OldestFirst: true}
	for {
		page, err := c.opt.Ledger.Winners(ctx, f)
		if err != nil {
			return err
		}
		if full := c.addAll(page); full || len(page) < f.Limit {
			return nil
		}
		f.After = after(page[0].Won, page[len(page)-1].Won)
	}
}

// after returns where the page after one from first to last begins: tickets that were won at the
// same time may be on both, and loading one twice does no harm.
func after(first, last time.Time) time.Time {
	if first.Equal(last) {
		return last
	}
	return last.Add(-1)
}

// addAll adds winners; full: no later one would be accepted.
func (c *Client) addAll(page []pm.Winner) (full bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range page {
		c.addLocked(w)
	}
	if len(c.tickets) < c.opt.Waiting {
		return false
	}
	view := c.opt.View()
	for _, t := range c.tickets {
		if over(view, &t.w, likely) {
			return false // it can be evicted for a ticket in time
		}
	}
	return true
}

// addLocked adds a winner within the limits, or in place of a less urgent one; the ledger has
// each either way.
func (c *Client) addLocked(w pm.Winner) {
	sender := w.Ticket.Sender
	switch {
	case !slices.Contains(unfinished(), w.State) || w.Ticket.Recipient != c.opt.Recipient || c.tickets[w.Hash] != nil:
	case c.evictForLocked(&w):
		c.tickets[w.Hash] = &ticket{w: w}
		c.has[sender]++
	case len(c.overflowed) < c.opt.Waiting: // more are not needed to load again
		c.overflowed[sender] = true
	}
}

// evictForLocked reports whether a winner fits, after evicting a ticket of less urgent rounds
// if necessary.
func (c *Client) evictForLocked(w *pm.Winner) bool {
	sender := w.Ticket.Sender
	full := c.has[sender] >= c.opt.WaitingEach
	if !full && len(c.tickets) < c.opt.Waiting {
		return true
	}
	view := c.opt.View()
	var last *ticket
	for _, t := range c.tickets {
		if t.busy || full && t.w.Ticket.Sender != sender {
			continue
		}
		if last == nil || moreUrgent(&view, &last.w, &t.w) < 0 {
			last = t
		}
	}
	if last == nil || last.w.Ticket.CreationRound == w.Ticket.CreationRound || moreUrgent(&view, w, &last.w) > 0 {
		return false
	}
	c.overflowed[last.w.Ticket.Sender] = true
	c.dropLocked(last.w.Hash)
	return true
}

// dropLocked drops a ticket.
func (c *Client) dropLocked(hash protocol.Hash) {
	sender := c.tickets[hash].w.Ticket.Sender
	delete(c.tickets, hash)
	if c.has[sender]--; c.has[sender] == 0 {
		delete(c.has, sender)
	}
}

// review queues expired tickets again whose rounds are not over: a wrong endpoint may have
// ended them. It runs at the start and once per round.
func (c *Client) review(ctx context.Context) error {
	view := c.opt.View()
	if !view.Known || view.Stale || view.Round.Number == c.reviewed {
		return nil
	}
	all, err := c.opt.Ledger.Winners(ctx, ledger.Filter{States: []pm.TicketState{pm.TicketExpired},
		Recipient: c.opt.Recipient, Limit: c.opt.Waiting})
	if err != nil {
		return err
	}
	for i := range all {
		w := &all[i]
		if over(view, w, likely) {
			continue
		}
		c.opt.Log.Info("winning ticket taken up again", "ticket", w.Hash.String(), "gateway",
			w.Ticket.Sender.String(), "reason", w.Reason)
		if err := c.progress(ctx, w, pm.TicketWon, w.Reason); err != nil {
			return nil // the ledger reports it; the next pass tries again
		}
		w.State = pm.TicketWon
		c.Won(*w)
	}
	c.reviewed = view.Round.Number
	return nil
}
