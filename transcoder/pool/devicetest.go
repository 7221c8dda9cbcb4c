package pool

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// hold keeps segments from a device during its test: segments that use every CPU core
// would fail a good device. It is guarded by the device's mu.
type hold struct {
	// over is closed when the hold ends, nil without one; all: it excludes every segment,
	// not only unverified ones.
	over chan struct{}
	all  bool
	// unverified counts the unverified segments in progress.
	unverified int
	// segmentEnded is closed when a segment has ended, nil without a waiter.
	segmentEnded chan struct{}
}

// excludes reports whether the hold keeps a segment out.
func (h *hold) excludes(unverified bool) bool { return h.over != nil && (h.all || unverified) }

// holdReadyLocked reports whether no segment that the hold excludes is in progress.
func (d *poolDevice) holdReadyLocked() bool {
	return d.hold.unverified == 0 && (!d.hold.all || d.segments == 0)
}

// held reports whether a segment would wait for the end of the device's test.
func (d *poolDevice) held(unverified bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.hold.excludes(unverified)
}

// beginSegment waits for a hold that excludes the segment, and counts it in progress until
// endSegment.
func (d *poolDevice) beginSegment(ctx context.Context, unverified bool) error {
	for {
		d.mu.Lock()
		if !d.hold.excludes(unverified) {
			d.segments++
			if unverified {
				d.hold.unverified++
			}
			d.mu.Unlock()
			return nil
		}
		over := d.hold.over
		d.mu.Unlock()
		select {
		case <-over:
		case <-ctx.Done():
			return notStarted(ctx)
		}
	}
}

func (d *poolDevice) endSegment(unverified bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if unverified {
		d.hold.unverified--
	}
	if d.hold.segmentEnded != nil {
		close(d.hold.segmentEnded)
		d.hold.segmentEnded = nil
	}
	if d.segments--; d.segments == 0 && d.becameIdle != nil {
		close(d.becameIdle)
		d.becameIdle = nil
	}
}

// avoidHold returns the device for a segment's first attempt: another one if a hold excludes
// the segment from d.
func (a *segmentAttempts) avoidHold(d *poolDevice) *poolDevice {
	if !d.held(a.unverified) {
		return d
	}
	if other := a.p.move(a.s, false, d); other != nil {
		return other
	}
	return d
}

// idleWait bounds the wait for segments in progress before a test. Segments of usual
// length have ended by then.
const idleWait = 40 * time.Second

// testUndisturbed tests a device without segments that could make it fail: first without
// unverified segments, and if no other segment was done meanwhile, without any segment.
// inconclusive reports that segments were still in progress, so that a failed test proves
// nothing.
func (p *Pool) testUndisturbed(d *poolDevice) (inconclusive bool, err error) {
	begun := time.Now()
	for _, all := range []bool{false, true} {
		var otherSegments, unverified int
		if otherSegments, unverified, err = p.testWithHold(d, all); err == nil || d.doneSince(begun) {
			return false, nil
		}
		if otherSegments == 0 {
			return false, err
		}
		if unverified > 0 {
			break // known senders must not wait for unverified segments
		}
	}
	return true, err
}

// testWithHold tests a device under a hold. It returns the number of segments in progress
// during the test, and how many of them are unverified.
func (p *Pool) testWithHold(d *poolDevice, all bool) (otherSegments, unverified int, err error) {
	d.mu.Lock()
	over := make(chan struct{})
	d.hold.over, d.hold.all = over, all
	d.mu.Unlock()
	p.awaitHoldReady(d)
	d.mu.Lock()
	otherSegments, unverified = d.segments, d.hold.unverified
	d.mu.Unlock()
	if unverified == 0 {
		err = p.reprobe(d)
	} else {
		// The test would be inconclusive: do not make others wait for it.
		err = fault.New(fault.DeviceTestFailed, "test a device", "segments that may block it do not end")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	otherSegments = max(otherSegments, d.segments)
	d.hold.over = nil
	close(over)
	return otherSegments, unverified, err
}

// awaitHoldReady waits for the end of the segments that the hold excludes, for idleWait at
// most.
func (p *Pool) awaitHoldReady(d *poolDevice) {
	timer := time.NewTimer(idleWait)
	defer timer.Stop()
	for {
		d.mu.Lock()
		if d.holdReadyLocked() {
			d.mu.Unlock()
			return
		}
		if d.hold.segmentEnded == nil {
			d.hold.segmentEnded = make(chan struct{})
		}
		changed := d.hold.segmentEnded
		d.mu.Unlock()
		select {
		case <-changed:
		case <-timer.C:
			return
		case <-p.done:
			return
		}
	}
}

// doneSince reports whether the device did a segment since a time.
func (d *poolDevice) doneSince(since time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.evidence.doneAt.After(since)
}

// blockedTogether decides about an unverified segment that expired in the shared worker
// with others, while none was done: they may block it together on purpose. The device is
// tested, and new streams of unknown senders get workers of their own for a while, which
// shows the blocking ones.
func (a *segmentAttempts) blockedTogether(d *poolDevice, err error) {
	if _, testable := d.engine.(reprober); !testable {
		a.p.blameDevice(d, err)
		return
	}
	now := time.Now()
	a.p.incidents.BlockedTogether(now)
	d.mu.Lock()
	test := now.Sub(d.evidence.clearedAt) >= clearedTime && d.evidence.beginTest(d.gone, now)
	d.mu.Unlock()
	if test {
		a.p.spawn(func() { a.p.testForBlame(d) })
	}
}

// beginTest reports whether a test must begin now. After an inconclusive test it waits for
// clearedTime, so that new senders are not held up again at once.
func (e *blameEvidence) beginTest(gone bool, now time.Time) bool {
	begins := !e.testing && !gone && now.Sub(e.inconclusiveAt) >= clearedTime
	e.testing = e.testing || begins
	return begins
}

// inconclusiveTest is the fault of a device that could not be tested undisturbed.
func inconclusiveTest(err error) error {
	return fault.Wrap(fault.DeviceTestFailed, "test a device alongside segments", err)
}
