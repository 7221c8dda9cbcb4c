package client

import (
	"context"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// unfinished are the states of tickets that are taken up at the start. Those beyond
// won are of a time in which this process redeemed; the redeemer finds out what
// became of them. Package pm/payout follows those that are mined.
var unfinished = []pm.TicketState{pm.TicketWon, pm.TicketQueued, pm.TicketSubmitted}

// short reports whether there is room for tickets that stayed in the ledger: in all,
// and for a gateway that has some there.
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

// load takes in what the ledger has, the oldest first because their time is over first, as
// far as there is room. It looks past what has none: one gateway's tickets may be refused
// for days.
func (c *Client) load(ctx context.Context) error {
	c.mu.Lock()
	clear(c.overflowed) // a gateway without room from here on is noted again
	c.mu.Unlock()
	f := ledger.Filter{States: unfinished, Recipient: c.opt.Recipient, Limit: c.opt.Waiting + 1, OldestFirst: true}
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

// after is where the page after one from first to last begins: tickets that were won
// at once may be on both, and taking one twice does no harm.
func after(first, last time.Time) time.Time {
	if first.Equal(last) {
		return last
	}
	return last.Add(-1)
}

// adoptAll takes winners in; full says that there is no room for any later one.
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
			return false // it makes room for one that is not late
		}
	}
	return true
}

// adopt takes a winner in if there is room, or makes room for one that is more urgent; the
// ledger has each either way. The caller holds mu.
func (c *Client) addLocked(w pm.Winner) {
	sender := w.Ticket.Sender
	switch {
	case !slices.Contains(unfinished, w.State) || w.Ticket.Recipient != c.opt.Recipient || c.tickets[w.Hash] != nil:
	case c.evictForLocked(&w):
		c.tickets[w.Hash] = &ticket{w: w}
		c.has[sender]++
	case len(c.overflowed) < c.opt.Waiting: // enough of them to look again
		c.overflowed[sender] = true
	}
}

// makeRoom reports whether there is room for a winner, after another one of less urgent
// rounds was left to the ledger if need be. The caller holds mu.
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

// release forgets a ticket. The caller holds mu.
func (c *Client) dropLocked(hash protocol.Hash) {
	sender := c.tickets[hash].w.Ticket.Sender
	delete(c.tickets, hash)
	if c.has[sender]--; c.has[sender] == 0 {
		delete(c.has, sender)
	}
}

// review takes up again what ended as expired though its rounds are not over: what ended it
// may have been an endpoint's word. It happens at the start and once in each round that is
// seen.
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
			return nil // the ledger reports it; the next look tries again
		}
		w.State = pm.TicketWon
		c.Won(*w)
	}
	c.reviewed = view.Round.Number
	return nil
}
