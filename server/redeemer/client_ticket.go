package redeemer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/tuttinode/tutti/core"
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
	c.addLocked(w)
	c.wakeLoop()
}

// Waiting is how many winning tickets of a gateway wait here to be handed in. Where the ledger has
// more than fit here, it is the largest number.
func (c *Client) Waiting(sender core.Address) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.overflowed[sender] {
		return math.MaxInt
	}
	return c.has[sender]
}

// handDueLocked begins to hand in what is due, the most urgent first, and returns the time until
// something else is. One gateway's tickets take half of the calls at most: the redeemer may
// be slow about that gateway alone.
func (c *Client) handDueLocked(ctx context.Context, api rpc.TicketRedeemerClient, now time.Time) time.Duration {
	next := lookMost
	view := c.opt.View()
	waiting := slices.SortedFunc(maps.Values(c.tickets), func(a, b *ticket) int { return moreUrgent(&view, &a.w, &b.w) })
	for _, t := range waiting {
		sender := t.w.Ticket.Sender
		switch {
		case t.busy:
		case now.Before(t.next):
			next = min(next, t.next.Sub(now))
		case c.busy < c.opt.InFlight && c.busyOf[sender] < max(1, c.opt.InFlight/2):
			t.busy = true
			c.busy++
			c.busyOf[sender]++
			c.parts.Go(func() { c.work(ctx, api, t, now) })
		}
	}
	return next
}

// doneLocked counts a call that ended.
func (c *Client) doneLocked(t *ticket) {
	sender := t.w.Ticket.Sender
	t.busy = false
	c.busy--
	if c.busyOf[sender]--; c.busyOf[sender] == 0 {
		delete(c.busyOf, sender)
	}
}

// moreUrgent compares two tickets: first those that run out of time first, and last those
// whose time seems to be over.
func moreUrgent(v *protocol.View, a, b *pm.Winner) int {
	switch late, other := over(*v, a, likely), over(*v, b, likely); {
	case late && !other:
		return 1
	case other && !late:
		return -1
	}
	return cmp.Or(cmp.Compare(a.Ticket.CreationRound, b.Ticket.CreationRound), a.Won.Compare(b.Won),
		slices.Compare(a.Hash[:], b.Hash[:]))
}

// work does what is due for a ticket. What is on its way when the node stops may end:
// the redeemer has it then, and the books must record it.
func (c *Client) work(ctx context.Context, api rpc.TicketRedeemerClient, t *ticket, now time.Time) {
	err := c.hand(ctx, api, t)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.doneLocked(t)
	c.wakeLoop()
	switch {
	case err == nil:
		c.dropLocked(t.w.Hash)
	case errors.Is(err, fault.LedgerRefused):
		// Only the ledger knows why, so this process cannot advance the ticket.
		c.opt.Log.Warn("winning ticket set aside", "ticket", t.w.Hash.String(), fault.Attr(err))
		c.dropLocked(t.w.Hash)
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
		return c.expire(ctx, t, certain, t.reason)
	}
	limited, cancel := context.WithTimeout(ctx, c.patience(t))
	defer cancel()
	var trailer metadata.MD
	_, err := api.QueueTicket(limited, rpc.ToTicket(&t.w.Ticket, t.w.ExpirationBlock), grpc.Trailer(&trailer))
	if ctx.Err() != nil && err != nil {
		return err
	}
	err = asFault(limited, fault.RedeemerRefuses, "hand a ticket in", err, trailer)
	c.recordReachable(err)
	switch {
	case err == nil:
		return c.progress(ctx, &t.w, pm.TicketHanded, "")
	case errors.Is(err, fault.RedeemerRefuses) && over(c.opt.View(), &t.w, refused),
		codeIn(trailer) == fault.TicketExpired && over(c.opt.View(), &t.w, likely):
		rounds := refused
		if codeIn(trailer) == fault.TicketExpired {
			rounds = likely
		}
		_, text := fault.Public(err)
		return c.expire(ctx, t, rounds, text)
	}
	return err
}

// patience returns how long a ticket's call may take: a quarter of HandIn at first, and more each
// time that it was not enough, so that a redeemer which hangs does not keep the calls that
// others wait for.
func (c *Client) patience(t *ticket) time.Duration {
	return min(c.opt.HandIn, c.opt.HandIn/4<<min(t.fails, 2))
}

// expire ends a ticket whose rounds are over. That they are is read again, because the view
// may have come from an endpoint that was wrong.
func (c *Client) expire(ctx context.Context, t *ticket, rounds protocol.Round, why string) error {
	limited, cancel := context.WithTimeout(ctx, roundTime)
	defer cancel()
	round, err := c.opt.Round(limited)
	if err != nil {
		return err
	}
	if last := t.w.Ticket.CreationRound + rounds; round.Number <= last {
		return fault.New(fault.ChainDisputed, "give a ticket up", fmt.Sprintf("it is round %d, and not over %d",
			round.Number, last))
	}
	return c.progress(ctx, &t.w, pm.TicketExpired, string(fault.HandInExpired)+": "+why)
}

// roundTime bounds the reading of the round.
const roundTime = 30 * time.Second

// For how many rounds after its own a ticket is likely to be taken by the contracts;
// after how many one that is refused, for whatever reason, is given up; and after how
// many it certainly is not taken, whatever governance decides.
const likely, refused, certain protocol.Round = 1, 2, 30

func over(v protocol.View, w *pm.Winner, rounds protocol.Round) bool {
	return v.Known && !v.Stale && v.Round.Number > w.Ticket.CreationRound+rounds
}

// progressTime bounds the wait for the disk at a stop.
const progressTime = 10 * time.Second

func (c *Client) progress(ctx context.Context, of *pm.Winner, state pm.TicketState, reason string) error {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), progressTime)
	defer cancel()
	w := *of
	w.State, w.Since, w.Reason = state, c.opt.Now(), reason
	err := c.opt.Ledger.Progress(limited, pm.Progress{Hash: w.Hash, State: state, Tx: w.Tx, GasFee: w.GasFee,
		Reason: reason, At: w.Since})
	if err != nil {
		return err
	}
	c.opt.Log.Info("winning ticket", "ticket", w.Hash.String(), "gateway", w.Ticket.Sender.String(), "state",
		string(state), "reason", reason)
	c.opt.Changed(w)
	return nil
}
