package fairqueue

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// ErrFull says that as many wait as may, or that a place in the line was given
// to a party that had fewer.
var ErrFull = errors.New("the line is full")

// Options are a line's first size.
type Options struct {
	// Slots is how many may be in use at once; 0 makes everybody wait.
	Slots int
	// Queue is how many may wait; 0 lets nobody wait.
	Queue int
	// Now is the clock of Stats.Oldest; nil is the system's.
	Now func() time.Time
}

// Stats is a line at one moment.
type Stats struct {
	Slots, InUse, Waiting int
	// Oldest is for how long the first of those who wait has waited.
	Oldest time.Duration
}

// Line hands out slots: to each party in the order in which it came, and to one
// party after another. It is safe for concurrent use.
type Line struct {
	queue int
	now   func() time.Time

	mu    sync.Mutex
	slots int   // guarded by mu, as everything below
	inUse int   // may exceed slots for a while after Resize
	shut  error // why nobody gets in; nil while open
	// parties has who waits, by name; turns the same parties, the next one first.
	parties map[string]*party
	turns   *list.List
	// arrivals has all who wait, the longest first.
	arrivals *list.List
}

// party is everybody of one name who waits. It is there only while someone does.
type party struct {
	name    string
	waiting *list.List
	turn    *list.Element
}

// waiter is one who waits. Its answer is written before done is closed.
type waiter struct {
	party   *party
	place   *list.Element
	arrival *list.Element
	since   time.Time
	done    chan struct{}
	err     error
}

// New makes an open line.
func New(o Options) *Line {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Line{
		queue: max(o.Queue, 0), now: o.Now, slots: max(o.Slots, 0),
		parties: make(map[string]*party), turns: list.New(), arrivals: list.New(),
	}
}

// Acquire takes a slot, waiting for one until ctx ends. The error is ErrFull,
// ctx's error, or what the line is shut with. release gives the slot back and may
// be called again.
//
// When as many wait as may and party has fewer of them than another, the latest
// of the party with the most gives up its place: one party cannot keep the others
// out by coming in numbers.
func (l *Line) Acquire(ctx context.Context, party string) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.mu.Lock()
	if l.shut != nil {
		defer l.mu.Unlock()
		return nil, l.shut
	}
	if l.inUse < l.slots && l.arrivals.Len() == 0 {
		l.inUse++
		l.mu.Unlock()
		return l.releaser(), nil
	}
	w := l.enqueue(party)
	l.mu.Unlock()
	if w == nil {
		return nil, ErrFull
	}
	select {
	case <-w.done:
	case <-ctx.Done():
		if l.leave(w) {
			return nil, ctx.Err()
		}
	}
	switch {
	case w.err != nil:
		return nil, w.err
	case ctx.Err() != nil:
		// The slot and the end came together; who asked is gone.
		l.release()
		return nil, ctx.Err()
	}
	return l.releaser(), nil
}

// releaser is a release that works once.
func (l *Line) releaser() func() {
	var given atomic.Bool
	return func() {
		if given.CompareAndSwap(false, true) {
			l.release()
		}
	}
}

func (l *Line) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inUse--
	l.grant()
}

// Resize sets the number of slots. What is in use stays so when it is more.
func (l *Line) Resize(slots int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.slots = max(slots, 0)
	l.grant()
}

// Shut sends everybody away who waits, and who comes until Open, with err. Slots
// in use are not touched.
func (l *Line) Shut(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shut = err
	for l.arrivals.Len() > 0 {
		w := l.arrivals.Front().Value.(*waiter)
		w.err = err
		l.remove(w)
		close(w.done)
	}
}

// Open ends Shut.
func (l *Line) Open() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shut = nil
}

// Stats tells how the line is.
func (l *Line) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := Stats{Slots: l.slots, InUse: l.inUse, Waiting: l.arrivals.Len()}
	if first := l.arrivals.Front(); first != nil {
		s.Oldest = l.now().Sub(first.Value.(*waiter).since)
	}
	return s
}
