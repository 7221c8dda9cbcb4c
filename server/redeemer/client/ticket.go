package client

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/rpc"
)

// ticket is a winner that is not handed in. Client.mu covers it.
type ticket struct {
	w    pm.Winner
	busy bool
	// next is when it is offered again, after fails failures in a row.
	next  time.Time
	fails int
	// refused is since when the redeemer does not take it, reason what it said last.
	refused time.Time
	reason  string
}

// Won takes a winner that is in the ledger already. It does not block; a ticket that
// waits already is not taken twice.
func (c *Client) Won(w pm.Winner) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.adopt(w)
	c.stir()
}

// handDue begins to hand in what is due, the oldest first, and returns the time until
// something else is. The caller holds mu.
func (c *Client) handDue(ctx context.Context, api rpc.TicketRedeemerClient, now time.Time) time.Duration {
	next := lookMost
	waiting := slices.SortedFunc(maps.Values(c.tickets), func(a, b *ticket) int {
		return cmp.Or(a.w.Won.Compare(b.w.Won), slices.Compare(a.w.Hash[:], b.w.Hash[:]))
	})
	for _, t := range waiting {
		switch {
		case t.busy:
		case now.Before(t.next):
			next = min(next, t.next.Sub(now))
		case c.busy < c.opt.InFlight:
			t.busy = true
			c.busy++
			c.parts.Go(func() { c.work(ctx, api, t, now) })
		}
	}
	return next
}

// work does what is due for a ticket. What is on its way when the node stops may end:
// the redeemer has it then, and the books are to say so.
func (c *Client) work(ctx context.Context, api rpc.TicketRedeemerClient, t *ticket, now time.Time) {
	err := c.hand(ctx, api, t)
	c.mu.Lock()
	defer c.mu.Unlock()
	t.busy = false
	c.busy--
	c.stir()
	switch {
	case err == nil:
		c.release(t.w.Hash)
	case errors.Is(err, fault.LedgerRefused):
		// Nobody but the ledger can know why; the ticket is not ours to move.
		c.opt.Log.Warn("winning ticket set aside", "ticket", t.w.Hash.String(), fault.Attr(err))
		c.release(t.w.Hash)
	case ctx.Err() == nil:
		t.next = c.opt.Now().Add(min(c.opt.Retry<<min(t.fails, 16), c.opt.RetryMost))
		t.fails++
		switch {
		case !errors.Is(err, fault.RedeemerRefuses):
			t.refused = time.Time{}
		case t.refused.IsZero():
			t.refused = now
		}
		_, t.reason = fault.Public(err)
		c.opt.Log.Debug("winning ticket not handed in", "ticket", t.w.Hash.String(), fault.Attr(err))
	}
}

// hand offers a ticket to the redeemer, and writes that it was taken.
func (c *Client) hand(ctx context.Context, api rpc.TicketRedeemerClient, t *ticket) error {
	if over(c.opt.View(), &t.w, certain) {
		return c.progress(ctx, t, pm.TicketExpired, string(fault.HandInExpired)+": "+t.reason)
	}
	limited, cancel := context.WithTimeout(ctx, c.opt.HandIn)
	defer cancel()
	var trailer metadata.MD
	_, err := api.QueueTicket(limited, rpc.ToTicket(&t.w.Ticket, t.w.ExpirationBlock), grpc.Trailer(&trailer))
	if ctx.Err() != nil && err != nil {
		return err
	}
	err = meaning(fault.RedeemerRefuses, "hand a ticket in", err, trailer)
	c.heard(err)
	switch {
	case err == nil:
		return c.progress(ctx, t, pm.TicketHanded, "")
	case errors.Is(err, fault.RedeemerRefuses) && over(c.opt.View(), &t.w, refused),
		codeIn(trailer) == fault.TicketExpired && over(c.opt.View(), &t.w, likely):
		_, text := fault.Public(err)
		return c.progress(ctx, t, pm.TicketExpired, string(fault.HandInExpired)+": "+text)
	}
	return err
}

// For how many rounds after its own a ticket is likely to be taken by the contracts;
// after how many one that is refused, for whatever reason, is given up; and after how
// many it certainly is not taken, whatever governance decides.
const likely, refused, certain protocol.Round = 1, 2, 30

func over(v protocol.View, w *pm.Winner, rounds protocol.Round) bool {
	return v.Known && !v.Stale && v.Round.Number > w.Ticket.CreationRound+rounds
}

// progressTime bounds the wait for the disk at a stop.
const progressTime = 10 * time.Second

func (c *Client) progress(ctx context.Context, t *ticket, state pm.TicketState, reason string) error {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), progressTime)
	defer cancel()
	w := t.w
	w.State, w.Since, w.Reason = state, c.opt.Now(), reason
	err := c.opt.Ledger.Progress(limited, pm.Progress{Hash: w.Hash, State: state, Tx: w.Tx, GasFee: w.GasFee, Reason: reason, At: w.Since})
	if err != nil {
		return err
	}
	c.opt.Log.Info("winning ticket", "ticket", w.Hash.String(), "gateway", w.Ticket.Sender.String(), "state", string(state), "reason", reason)
	c.opt.Changed(w)
	return nil
}
