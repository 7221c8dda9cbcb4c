package redeemer

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// Won adds a winner that is in this node's book already. It does not block.
func (l *Leader) Won(w pm.Winner) {
	l.mu.Lock()
	l.fresh[w.Hash] = w
	r := l.redeemer
	l.mu.Unlock()
	if r != nil {
		r.Won(w)
	}
}

// Pending returns the sum of a sender's unpaid face values: of all books as they were a second ago,
// and of this one as it is now. It never blocks.
func (l *Leader) Pending(sender core.Address) core.Wei { return l.unpaid(sender).Face }

// Waiting is the number of the tickets that Pending adds up.
func (l *Leader) Waiting(sender core.Address) int { return l.unpaid(sender).Tickets }

func (l *Leader) unpaid(sender core.Address) pm.Unpaid {
	l.mu.Lock()
	defer l.mu.Unlock()
	sum := l.waiting[sender]
	for _, w := range l.fresh {
		if w.Ticket.Sender == sender {
			sum = sum.Add(w.Ticket.FaceValue)
		}
	}
	return sum
}

// Leads reports whether this node redeems, and how long the database took to answer
// last.
func (l *Leader) Leads() (leads bool, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.redeemer != nil, l.took
}

// leading returns the redeemer. The error is the fault StoreNotLeading.
func (l *Leader) leading(op string) (*Redeemer, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.redeemer == nil {
		return nil, fault.New(fault.StoreNotLeading, op, "another node does")
	}
	return l.redeemer, nil
}

// Retry is Redeemer.Retry; StoreNotLeading means that another node has to be asked.
func (l *Leader) Retry(ctx context.Context, hash protocol.Hash) error {
	r, err := l.leading("retry a ticket")
	if err != nil {
		return err
	}
	return r.Retry(ctx, hash)
}

// Queue is Redeemer.Queue.
func (l *Leader) Queue(ctx context.Context, w pm.Winner) error {
	r, err := l.leading("queue a ticket")
	if err != nil {
		return err
	}
	return r.Queue(ctx, w)
}

// MaxFloat is Redeemer.MaxFloat.
func (l *Leader) MaxFloat(ctx context.Context, sender core.Address) (core.Wei, error) {
	r, err := l.leading("read a max float")
	if err != nil {
		return core.Wei{}, err
	}
	return r.MaxFloat(ctx, sender)
}

// WatchMaxFloat is Redeemer.WatchMaxFloat.
func (l *Leader) WatchMaxFloat(ctx context.Context, sender core.Address, f func(core.Wei) error) error {
	r, err := l.leading("watch a max float")
	if err != nil {
		return err
	}
	return r.WatchMaxFloat(ctx, sender, f)
}
