package ledger

import (
	"context"
	"slices"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

// maxAsync bounds the asynchronous entries that are kept while the disk is full. Beyond it
// bills of free work are dropped; others are bounded by the money in the accounts, which does
// not grow while nothing can be written.
const maxAsync = 1 << 16

// flushThreshold is how many entries are written without waiting for more.
const flushThreshold = maxGroupRequests / 2

// request is one atomic write.
type request struct {
	op string
	// do checks the group before it changes anything. It refuses with the fault LedgerRefused;
	// every other error is the database's.
	do func(context.Context, *group) error
	// droppable: it may be dropped on overflow. exclusive: it gets a transaction of its own,
	// apart from payments.
	droppable, exclusive bool
	// done gets the outcome; nil without a waiting caller.
	done chan error
	// taken: a group has it, so its caller waits for the outcome even if the caller's context
	// ends. Guarded by the ledger's mu.
	taken bool
}

// Append records entries and returns when they are on disk. After an error nothing was
// recorded: LedgerRefused means that the entries contradict the ledger; LedgerFull that they
// could not be written and may be tried again; LedgerFailed that the ledger stopped, and only
// then may they appear after a restart, once. If ctx ends before they are taken, nothing is
// recorded and its error is returned.
func (l *Ledger) Append(ctx context.Context, e pm.Entries) error {
	const op = "book a payment"
	if err := validateEntries(op, &e); err != nil {
		return err
	}
	return l.enqueueAndWait(ctx, &request{op: op, do: func(ctx context.Context,
		g *group) error {
		return g.book(ctx, op, &e)
	}})
}

// Book records entries without waiting. They are written in the order of the calls of Append
// and Book, and lost only by a crash. An entry that contradicts the ledger is logged.
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
	err := l.enqueue(&request{op: op, droppable: free, do: func(ctx context.Context,
		g *group) error {
		return g.book(ctx, op, &e)
	}})
	if err != nil && !l.bookLate(&e) {
		l.opt.Log.Error("entry lost", fault.Attr(err))
	}
}

// Progress records a winner's next state and returns when it is on disk. Paid and the fee are
// totals of the ticket so far: each progress replaces them. An unchanged state is ignored. The
// errors are those of Append; LedgerRefused also means an unknown ticket, or one that is final.
func (l *Ledger) Progress(ctx context.Context, p pm.Progress) error {
	const op = "record the progress of a ticket"
	if err := validateProgress(op, &p); err != nil {
		return err
	}
	p.Reason = truncated(p.Reason)
	return l.enqueueAndWait(ctx, &request{op: op, do: func(ctx context.Context,
		g *group) error {
		return g.progress(ctx, op, &p)
	}})
}

// enqueueAndWait queues a request and waits for its outcome.
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

// enqueueAsync queues a request without a waiting caller.
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

// signal fills a channel of capacity 1 unless it is full.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// onlyAsync reports whether only asynchronous requests are queued. From then on flushNow
// reports the arrival of a waiting one.
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

// hasRequests reports whether anything waits to be written.
func (l *Ledger) hasRequests() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.queue)+len(l.retained) > 0
}

// withdraw removes a request that no group has taken.
func (l *Ledger) withdraw(r *request) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.taken {
		return false
	}
	l.queue = slices.DeleteFunc(l.queue, func(o *request) bool { return o == r })
	return true
}

// closeQueue refuses new requests and answers all waiting callers with the reason.
func (l *Ledger) closeQueue(why error) {
	l.mu.Lock()
	queue := l.queue
	l.queue, l.ended = nil, why
	l.mu.Unlock()
	answerWaiting(queue, why)
}
