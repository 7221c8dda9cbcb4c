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
func (c *Client) short() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.opt.Waiting-len(c.tickets) < (c.opt.WaitingEach+1)/2 {
		return false
	}
	for sender := range c.crowded {
		if c.has[sender] <= c.opt.WaitingEach/2 {
			return true
		}
	}
	return false
}

// load takes in what the ledger has, the newest first, as far as there is room. It
// looks past what has none: one gateway's tickets may be refused for days.
func (c *Client) load(ctx context.Context) error {
	c.mu.Lock()
	clear(c.crowded) // who finds no room from here on says so again
	c.mu.Unlock()
	f := ledger.Filter{States: unfinished, Recipient: c.opt.Recipient, Limit: c.opt.Waiting + 1}
	for {
		page, err := c.opt.Ledger.Winners(ctx, f)
		if err != nil {
			return err
		}
		if full := c.adoptAll(page); full || len(page) < f.Limit {
			return nil
		}
		f.Before = before(page[0].Won, page[len(page)-1].Won)
	}
}

// before is where the page after one from first to last begins: tickets that were won
// at once may lie on both, and taking one twice does no harm.
func before(first, last time.Time) time.Time {
	if first.Equal(last) {
		return last
	}
	return last.Add(1)
}

// adoptAll takes winners in; full says that there is no room for any more.
func (c *Client) adoptAll(page []pm.Winner) (full bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range page {
		c.adopt(w)
	}
	return len(c.tickets) >= c.opt.Waiting
}

// adopt takes a winner in if there is room; the ledger has it either way. The caller
// holds mu.
func (c *Client) adopt(w pm.Winner) {
	sender := w.Ticket.Sender
	switch {
	case !slices.Contains(unfinished, w.State) || w.Ticket.Recipient != c.opt.Recipient || c.tickets[w.Hash] != nil:
	case len(c.tickets) < c.opt.Waiting && c.has[sender] < c.opt.WaitingEach:
		c.tickets[w.Hash] = &ticket{w: w}
		c.has[sender]++
	case len(c.crowded) < c.opt.Waiting: // enough of them to look again
		c.crowded[sender] = true
	}
}

// release forgets a ticket. The caller holds mu.
func (c *Client) release(hash protocol.Hash) {
	sender := c.tickets[hash].w.Ticket.Sender
	delete(c.tickets, hash)
	if c.has[sender]--; c.has[sender] == 0 {
		delete(c.has, sender)
	}
}
