package ledger

import (
	"context"
	"slices"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

// bookedMost is how many entries that nobody waits for are kept while the disk is
// full. Beyond it bills of free work are dropped; others are bounded by the money
// in the accounts, which does not grow while nothing can be written.
const maxAsync = 1 << 16

// crowd is how many entries are written without waiting for more.
const flushThreshold = maxGroupRequests / 2

// request is something to write: all of it or nothing.
type request struct {
	op string
	// do looks at the group and refuses, before it changes anything, with the fault
	// LedgerRefused; every other error is the database's.
	do func(context.Context, *group) error
	// free says that it may be dropped when there is too much; alone that it is
	// written in a transaction of its own, because it is no payment's business.
	droppable, exclusive bool
	// done gets the outcome; nil where nobody waits.
	done chan error
	// taken says that a group has it; then its caller waits for the outcome,
	// whatever becomes of the caller's context. Guarded by the ledger's mu.
	taken bool
}

// Append books entries and returns when they are on disk. Nothing was booked when
// it returns an error: LedgerRefused says that the entries contradict the books,
// LedgerFull that they could not be written, and may be tried again, LedgerFailed
// that the ledger stopped; only in the last case they may turn up after a restart,
// once. When ctx ends while others are being written, nothing is booked and its
// error is returned.
func (l *Ledger) Append(ctx context.Context, e pm.Entries) error {
	const op = "book a payment"
	if err := validateEntries(op, &e); err != nil {
		return err
	}
	return l.enqueueAndWait(ctx, &request{op: op, do: func(ctx context.Context, g *group) error { return g.book(ctx, op, &e) }})
}

// Book books entries without waiting. They are written in the order of the calls
// of Append and Book, and lost only by a crash; an entry that contradicts the books
// is logged.
func (l *Ledger) Book(e pm.Entries) {
	const op = "book work"
	if err := validateEntries(op, &e); err != nil {
		l.opt.Log.Error("entry refused", fault.Attr(err))
		return
	}
	free := len(e.Credits)+len(e.Closings)+len(e.Winners) == 0
	for i := range e.Debits {
		free = free && e.Debits[i].Price.Free()
	}
	l.enqueueAsync(&request{op: op, droppable: free, do: func(ctx context.Context, g *group) error { return g.book(ctx, op, &e) }})
}

// Progress notes a winner's next state and returns when it is on disk. What is
// paid and the fee are those of the whole ticket so far: each progress replaces
// them. The same state again, with nothing new, is nothing. The errors are those of
// Append; LedgerRefused stands for a ticket that nobody knows, or one that is final.
func (l *Ledger) Progress(ctx context.Context, p pm.Progress) error {
	const op = "note the progress of a ticket"
	if err := validateProgress(op, &p); err != nil {
		return err
	}
	p.Reason = truncated(p.Reason)
	return l.enqueueAndWait(ctx, &request{op: op, do: func(ctx context.Context, g *group) error { return g.progress(ctx, op, &p) }})
}

// wait puts a request into the queue and waits for its outcome.
func (l *Ledger) enqueueAndWait(ctx context.Context, r *request) error {
	select {
	case l.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-l.slots }()
	r.done = make(chan error, 1)
	if err := l.enqueue(r); err != nil {
		return err
	}
	select {
	case err := <-r.done:
		return err
	case <-ctx.Done():
	}
	if l.withdraw(r) {
		return ctx.Err()
	}
	return <-r.done
}

// post puts a request into the queue for which nobody waits.
func (l *Ledger) enqueueAsync(r *request) {
	if err := l.enqueue(r); err != nil {
		l.opt.Log.Error("entry lost", fault.Attr(err))
	}
}

func (l *Ledger) enqueue(r *request) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended != nil {
		return l.ended
	}
	if r.done == nil {
		if r.droppable && l.asyncCount >= maxAsync {
			return fault.New(fault.LedgerFull, r.op, "too much waits to be written; a bill of free work is dropped")
		}
		l.asyncCount++
	}
	l.queue = append(l.queue, r)
	signal(l.wake)
	if r.done != nil || len(l.queue) >= flushThreshold {
		signal(l.flushNow)
	}
	return nil
}

// signal tells somebody who was told already nothing new.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// onlyBooked reports whether there is something to write that nobody waits for. From
// then on hurry tells of whoever does.
func (l *Ledger) onlyAsync() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.flushNow:
	default:
	}
	if len(l.queue) == 0 || len(l.queue) >= flushThreshold || len(l.retained) > 0 {
		return false
	}
	return !slices.ContainsFunc(l.queue, func(r *request) bool { return r.done != nil })
}

// withdraw takes a request back that no group has.
func (l *Ledger) withdraw(r *request) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.taken {
		return false
	}
	l.queue = slices.DeleteFunc(l.queue, func(o *request) bool { return o == r })
	return true
}

// finish takes nothing more, and answers everybody who waits with the reason.
func (l *Ledger) closeQueue(why error) {
	l.mu.Lock()
	queue := l.queue
	l.queue, l.ended = nil, why
	l.mu.Unlock()
	answerWaiting(queue, why)
}
