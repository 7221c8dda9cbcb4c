package pool

import (
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/device"
)

// poolDevice is an attached device with its bookings, measurements and state.
type poolDevice struct {
	deviceIdentity
	isolationSlots

	// queue orders and bounds the segments in progress.
	queue queue
	tablePlace

	mu    sync.Mutex // guards the fields below
	offer device.Resources
	turn  uint64
	// treeRank is its rank as the tree has it, limitShare its part of the pool's limit.
	treeRank   rank
	limitShare int
	booked
	// unmeasuredSince is when sessions came, or asked for more, whose cost was not measured
	// since; older entries are removed.
	unmeasuredSince map[*session]time.Time
	measurements
	state
	learned  learnedLimits
	recent   recent
	evidence blameEvidence
	hold     hold
	// segments is the number in progress; becameIdle is closed when it falls to 0, nil
	// without a waiter.
	segments   int
	becameIdle chan struct{}
	namedRecords
}

// namedRecords continue when the device reattaches under its name.
type namedRecords struct {
	tally    *device.Tally
	verdicts *verdicts
}

// deviceIdentity is which device it is, and since when.
type deviceIdentity struct {
	engine device.Device
	// label is its name; owned: the pool closes it.
	label string
	owned bool
	seq   int
	since time.Time
}

// isolationSlots bound the processes that serve a single segment.
type isolationSlots struct {
	// These slots bound the processes that serve a single segment. isolatedSlots are for
	// retries and for senders without incidents. Other groups have their own slots, so that
	// they only wait for each other: unknown senders while many senders have incidents
	// (unverifiedSlots), and senders with incidents, by whether the stream has good segments
	// (flaggedSlots) or none (perSenderSlots).
	isolatedSlots, unverifiedSlots, flaggedSlots, perSenderSlots chan struct{}
}

// tablePlace is where the pool's table has a device.
type tablePlace struct {
	// class and leaf locate it in a tree; offered is its share of the node's capabilities
	// while it is ready, else nil. All are guarded by table.mu.
	class   *class
	leaf    int
	offered *capability.Capabilities

	// nextStale links the devices whose rank must be refreshed; stale: this one is linked.
	nextStale *poolDevice
	stale     atomic.Bool
}

// booked is the part of a device that is assigned to sessions.
type booked struct {
	sessions, renditions int
	// load is in requested pixels per second; weightedLoad includes each session's weight.
	load, weightedLoad int64
	// measuredSessions have a measured cost on this device. unusedSessions did not use what
	// they asked for in time: nothing is booked for them.
	measuredSessions, unusedSessions int
}

// name returns the device in logs and results: "cpu", "gpu 0".
func (d *poolDevice) name() string {
	if _, err := strconv.Atoi(d.label); err == nil {
		return "gpu " + d.label
	}
	return d.label
}

// memoryInUseLocked estimates the device memory that the sessions use.
func (d *poolDevice) memoryInUseLocked() int64 {
	first := int64(d.sessions - d.unusedSessions)
	return first*d.offer.SessionMemory + (int64(d.renditions)-first)*d.offer.RenditionMemory
}

// memoryForLocked estimates the device memory of a session with so many renditions.
func (d *poolDevice) memoryForLocked(renditions int) int64 {
	return d.offer.SessionMemory + int64(renditions-1)*d.offer.RenditionMemory
}

// bookLocked adds a session's demand to the device, unbookLocked removes it. The caller
// holds the session's mu, too.
func (d *poolDevice) bookLocked(s *session) {
	d.sessions++
	d.addDemandLocked(s, 1)
	s.unused = false
	delete(d.unmeasuredSince, s)
	d.awaitUseLocked(s)
}

// addDemandLocked books what a session asked for, or removes the booking with sign -1.
func (d *poolDevice) addDemandLocked(s *session, sign int) {
	d.renditions += sign * s.renditions
	d.load += int64(sign) * s.load
	d.weightedLoad += int64(sign) * s.weightedLoad
}

// awaitUseLocked records that a session has yet to use what it asked for.
func (d *poolDevice) awaitUseLocked(s *session) {
	if d.unmeasuredSince == nil {
		d.unmeasuredSince = make(map[*session]time.Time)
	}
	if _, waits := d.unmeasuredSince[s]; !waits && !s.unused {
		d.unmeasuredSince[s] = time.Now()
	}
}

// recordUseLocked records that a session uses what it asked for.
func (d *poolDevice) recordUseLocked(s *session) {
	delete(d.unmeasuredSince, s)
	if s.unused {
		s.unused = false
		d.unusedSessions--
		d.addDemandLocked(s, 1)
	}
}

// giveBackUnused removes the booking of a session that had the time to use what it asked for
// and sent nothing, or nothing that could be transcoded. It reports whether the session still
// has time.
func (d *poolDevice) giveBackUnused(s *session, now time.Time) (later bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	since, waits := d.unmeasuredSince[s]
	switch age := now.Sub(since); {
	case !waits:
		return false
	case age < recentPeriod, s.inProgress.Load() > 0 && age < maxInWork:
		return true
	}
	delete(d.unmeasuredSince, s)
	s.unused = true
	d.unusedSessions++
	d.addDemandLocked(s, -1)
	return false
}

func (d *poolDevice) unbookLocked(s *session) {
	d.sessions--
	d.recordUseLocked(s)
	d.addDemandLocked(s, -1)
	d.removeMeasuredLocked(s)
	d.recent.remove(s)
	if d.sessions == 0 {
		d.slowSince = time.Time{} // the next session is measured from the start
	}
}

// idle returns a channel that is closed when no segment is in progress, nil when none is.
func (d *poolDevice) idle() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.segments == 0 {
		return nil
	}
	if d.becameIdle == nil {
		d.becameIdle = make(chan struct{})
	}
	return d.becameIdle
}
