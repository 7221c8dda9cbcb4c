package fairqueue

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// ErrFull means that the queue is full, or that the caller was evicted in favor of a party
// with fewer waiting callers.
var ErrFull = errors.New("the queue is full")

// Options are a queue's initial sizes.
type Options struct {
	// Slots is how many may be in use at once; with 0 every caller waits.
	Slots int
	// MaxWaiting is how many callers may wait.
	MaxWaiting int
	// Now is the clock for Stats.Oldest; nil is time.Now.
	Now func() time.Time
}

// Stats is a snapshot of a queue.
type Stats struct {
	Slots, InUse, Waiting int
	// Oldest is how long the longest-waiting caller has waited.
	Oldest time.Duration
}

// Queue hands out slots to parties in turn, and within a party in order of arrival. It is
// safe for concurrent use.
type Queue struct {
	maxWaiting int
	now        func() time.Time

	mu        sync.Mutex
	slots     int   // guarded by mu, as everything below
	inUse     int   // may exceed slots for a while after Resize
	closedErr error // why callers are refused; nil while open
	// ordinary are the waiters of Acquire, idle those of AcquireIdle.
	ordinary, idle waiters
}

// waiters are the waiting callers of one priority.
type waiters struct {
	// parties are those with waiting callers, by name; turns the same, the next one first.
	parties map[string]*party
	turns   *list.List
	// arrivals are all waiters, the oldest first.
	arrivals *list.List
}

func newWaiters() waiters {
	return waiters{parties: make(map[string]*party), turns: list.New(), arrivals: list.New()}
}

// party is the waiters of one name. It is removed with its last waiter.
type party struct {
	name    string
	among   *waiters
	waiting *list.List
	inTurns *list.Element
}

// waiter is a waiting call of Acquire. err is set before done is closed.
type waiter struct {
	party      *party
	inParty    *list.Element
	inArrivals *list.Element
	since      time.Time
	done       chan struct{}
	err        error
}

// New makes an open queue.
func New(o Options) *Queue {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Queue{
		maxWaiting: max(o.MaxWaiting, 0), now: o.Now, slots: max(o.Slots, 0),
		ordinary: newWaiters(), idle: newWaiters(),
	}
}

// Acquire takes a slot, waiting for one until ctx ends. The error is ErrFull, ctx's error,
// or the error of Shut. release returns the slot and is idempotent.
//
// If the queue is full and another party has more waiters than this one would, the latest
// waiter of the party with the most is evicted: a party cannot keep others out by sending
// many requests.
func (l *Queue) Acquire(ctx context.Context, party string) (release func(), err error) {
	return l.acquire(ctx, party, &l.ordinary)
}

// AcquireIdle is Acquire for work that fills idle slots: it gets a slot only while no caller of
// Acquire waits, and is never evicted. Its waiters do not count for MaxWaiting and Stats; the
// caller bounds their number.
func (l *Queue) AcquireIdle(ctx context.Context, party string) (release func(), err error) {
	return l.acquire(ctx, party, &l.idle)
}

func (l *Queue) acquire(ctx context.Context, party string, among *waiters) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.mu.Lock()
	if l.closedErr != nil {
		defer l.mu.Unlock()
		return nil, l.closedErr
	}
	if l.inUse < l.slots && l.ordinary.arrivals.Len() == 0 && (among != &l.idle || l.idle.arrivals.Len() == 0) {
		l.inUse++
		l.mu.Unlock()
		return l.releaseOnce(), nil
	}
	w := l.enqueueLocked(among, party)
	l.mu.Unlock()
	if w == nil {
		return nil, ErrFull
	}
	select {
	case <-w.done:
	case <-ctx.Done():
		if l.withdraw(w) {
			return nil, ctx.Err()
		}
	}
	switch {
	case w.err != nil:
		return nil, w.err
	case ctx.Err() != nil:
		// The slot was granted as ctx ended: the caller is gone.
		l.release()
		return nil, ctx.Err()
	}
	return l.releaseOnce(), nil
}

// releaseOnce returns a release function that has an effect once.
func (l *Queue) releaseOnce() func() {
	var given atomic.Bool
	return func() {
		if given.CompareAndSwap(false, true) {
			l.release()
		}
	}
}

func (l *Queue) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inUse--
	l.grantLocked()
}

// Resize sets the number of slots. Slots in use beyond it are not revoked.
func (l *Queue) Resize(slots int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.slots = max(slots, 0)
	l.grantLocked()
}

// Shut refuses all waiting callers, and new ones until Open, with err. Slots in use stay.
func (l *Queue) Shut(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closedErr = err
	for _, among := range []*waiters{&l.ordinary, &l.idle} {
		for among.arrivals.Len() > 0 {
			w := among.arrivals.Front().Value.(*waiter)
			w.err = err
			l.removeLocked(w)
			close(w.done)
		}
	}
}

// Open ends Shut.
func (l *Queue) Open() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closedErr = nil
}

// Stats returns a snapshot.
func (l *Queue) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := Stats{Slots: l.slots, InUse: l.inUse, Waiting: l.ordinary.arrivals.Len()}
	if first := l.ordinary.arrivals.Front(); first != nil {
		s.Oldest = l.now().Sub(first.Value.(*waiter).since)
	}
	return s
}
