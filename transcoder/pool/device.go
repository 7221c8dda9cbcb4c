package pool

import (
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/placement"
)

// device is a device that was attached, and what is known of it.
type device struct {
	engine placement.Device
	// label is its name, kept says that the pool closes it.
	label string
	kept  bool
	seq   int
	since time.Time
	// alone bounds the processes that serve one segment each: those of retries and of
	// senders that are known or did no harm. Others have processes of their own, so that
	// they wait for one another alone: unknown senders while many do harm (unproved), and
	// senders that did harm, with streams that have done good work (flagged) or none.
	alone, unproved, flagged, single chan struct{}

	// queue lets segments begin.
	queue queue

	// class and slot are its place in a tree, offered what it adds to what the node can
	// do while it is ready. All are the table's.
	class   *class
	slot    int
	offered *capability.Capabilities

	// waiting links the devices whose rank is to be looked at again; dirty says that
	// this one is among them.
	waiting *device
	dirty   atomic.Bool

	mu    sync.Mutex // covers what follows
	offer placement.Offer
	turn  uint64
	// shown is its rank as the tree has it, share what it adds to the pool's limit.
	shown rank
	share int
	booked
	// seated is when the sessions came, or asked for more, that have not shown since what they
	// cost, where that was lately.
	seated map[*session]time.Time
	figures
	state
	learned  learned
	recent   recent
	evidence evidence
	hold     hold
	// segments are in work now; quiet is closed when none is, nil while nobody waits.
	segments int
	quiet    chan struct{}
	// tally goes on when the device comes back under its name.
	tally *placement.Tally
}

// booked is what the sessions of a device were given of it.
type booked struct {
	sessions, renditions int
	// load is in requested pixels per second; weighted is the same with each session's
	// own weight.
	load, weighted int64
	// known are the sessions that have shown here what they cost, unused those that took what
	// they asked for and did not use it: nothing is booked for them.
	known, unused int
}

// name is the device for the books of who did what: "cpu", "gpu 0".
func (d *device) name() string {
	if _, err := strconv.Atoi(d.label); err == nil {
		return "gpu " + d.label
	}
	return d.label
}

// memory is the device memory that the sessions are reckoned to use. The caller
// holds mu.
func (d *device) memory() int64 {
	first := int64(d.sessions - d.unused)
	return first*d.offer.SessionMemory + (int64(d.renditions)-first)*d.offer.RenditionMemory
}

// memoryFor is the device memory that a session with so many renditions takes. The
// caller holds mu.
func (d *device) memoryFor(renditions int) int64 {
	return d.offer.SessionMemory + int64(renditions-1)*d.offer.RenditionMemory
}

// take books a session, drop gives back what it was booked with. The caller holds mu,
// and the session's.
func (d *device) take(s *session) {
	d.sessions++
	d.book(s, 1)
	s.unused = false
	delete(d.seated, s)
	d.awaits(s)
}

// book books what a session has, or with -1 gives it back. The caller holds mu.
func (d *device) book(s *session, sign int) {
	d.renditions += sign * s.renditions
	d.load += int64(sign) * s.load
	d.weighted += int64(sign) * s.weighted
}

// awaits notes that a session has yet to use what it asked for. The caller holds mu.
func (d *device) awaits(s *session) {
	if d.seated == nil {
		d.seated = make(map[*session]time.Time)
	}
	if _, since := d.seated[s]; !since && !s.unused {
		d.seated[s] = time.Now()
	}
}

// uses notes that it does. The caller holds mu.
func (d *device) uses(s *session) {
	delete(d.seated, s)
	if s.unused {
		s.unused = false
		d.unused--
		d.book(s, 1)
	}
}

// giveBack gives back what a session had the time to use and did not, and reports whether it
// still has that time: it sends nothing, or nothing that anything could be made of. What it
// asked for costs it little.
func (d *device) giveBack(s *session, now time.Time) (later bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	at, awaited := d.seated[s]
	switch age := now.Sub(at); {
	case !awaited:
		return false
	case age < lately, s.inside.Load() > 0 && age < longAgo:
		return true
	}
	delete(d.seated, s)
	s.unused = true
	d.unused++
	d.book(s, -1)
	return false
}

func (d *device) drop(s *session) {
	d.sessions--
	d.uses(s)
	d.book(s, -1)
	d.leave(s)
	d.recent.remove(s)
	if d.sessions == 0 {
		d.slow = time.Time{} // whoever comes next shall find out anew
	}
}

// idle returns a channel that is closed when no segment is in work, nil when none is.
func (d *device) idle() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.segments == 0 {
		return nil
	}
	if d.quiet == nil {
		d.quiet = make(chan struct{})
	}
	return d.quiet
}
