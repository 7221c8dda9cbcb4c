package pool

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// hold keeps segments from a device while it is tested: those that take all processors
// they can get would make a device that works fail. It is under the device's mu.
type hold struct {
	// over is closed when the hold ends, nil while there is none; all says that it is for
	// every segment, not only for those that nothing good is known of.
	over chan struct{}
	all  bool
	// doubtful counts the segments in progress that nothing good is known of.
	doubtful int
	// changed is closed when a segment has ended, nil while nobody waits for that.
	changed chan struct{}
}

// keeps reports whether the hold keeps a segment out.
func (h *hold) keeps(doubtful bool) bool { return h.over != nil && (h.all || doubtful) }

// quietEnough reports whether no segment is in progress that the hold is meant for. The caller
// holds mu.
func (d *device) quietEnough() bool { return d.hold.doubtful == 0 && (!d.hold.all || d.segments == 0) }

// held reports whether a segment would have to wait for the end of the device's test.
func (d *device) held(doubtful bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.hold.keeps(doubtful)
}

// begin counts a segment in progress, once no test keeps it from the device; end ends it.
func (d *device) begin(ctx context.Context, doubtful bool) error {
	for {
		d.mu.Lock()
		if !d.hold.keeps(doubtful) {
			d.segments++
			if doubtful {
				d.hold.doubtful++
			}
			d.mu.Unlock()
			return nil
		}
		over := d.hold.over
		d.mu.Unlock()
		select {
		case <-over:
		case <-ctx.Done():
			return neverBegun(ctx)
		}
	}
}

func (d *device) end(doubtful bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if doubtful {
		d.hold.doubtful--
	}
	if d.hold.changed != nil {
		close(d.hold.changed)
		d.hold.changed = nil
	}
	if d.segments--; d.segments == 0 && d.quiet != nil {
		close(d.quiet)
		d.quiet = nil
	}
}

// unheld is the device for a segment's first attempt: another one where a test keeps the
// segment from d.
func (c *course) unheld(d *device) *device {
	if !d.held(c.doubtful) {
		return d
	}
	if other := c.p.move(c.s, false, d); other != nil {
		return other
	}
	return d
}

// quietTime bounds the wait for segments in progress before a test: that of any segment
// of usual length is over by then.
const quietTime = 40 * time.Second

// verify tests a device without what could make it fail beside it: first without segments
// that nothing good is known of, and where the others were not done meanwhile either,
// without any. unsure says that this was not possible in time, so that a failed test says
// nothing.
func (p *Pool) verify(d *device) (unsure bool, err error) {
	begun := time.Now()
	for _, all := range []bool{false, true} {
		var beside, doubtful int
		if beside, doubtful, err = p.testHeld(d, all); err == nil || d.doneSince(begun) {
			return false, nil
		}
		if beside == 0 {
			return false, err
		}
		if doubtful > 0 {
			break // known senders are not to wait for those as well
		}
	}
	return true, err
}

// testHeld tests a device under a hold, and returns how many segments were in progress
// beside the test, and how many of them nothing good is known of.
func (p *Pool) testHeld(d *device, all bool) (beside, doubtful int, err error) {
	d.mu.Lock()
	over := make(chan struct{})
	d.hold.over, d.hold.all = over, all
	d.mu.Unlock()
	p.awaitQuiet(d)
	d.mu.Lock()
	beside, doubtful = d.segments, d.hold.doubtful
	d.mu.Unlock()
	if doubtful == 0 {
		err = p.reprobe(d)
	} else {
		// Others need not wait for the end of a test that says nothing.
		err = fault.New(fault.DeviceTestFailed, "test a device", "segments that may block it do not end")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	beside = max(beside, d.segments)
	d.hold.over = nil
	close(over)
	return beside, doubtful, err
}

// awaitQuiet waits for the end of the segments that a hold is meant for, for quietTime at
// most.
func (p *Pool) awaitQuiet(d *device) {
	timer := time.NewTimer(quietTime)
	defer timer.Stop()
	for {
		d.mu.Lock()
		if d.quietEnough() {
			d.mu.Unlock()
			return
		}
		if d.hold.changed == nil {
			d.hold.changed = make(chan struct{})
		}
		changed := d.hold.changed
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
func (d *device) doneSince(since time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.evidence.worked.After(since)
}

// crowded decides about a segment without anything good known of it that expired in the
// shared worker, as others did and while none was done: they may have come together to
// block it. The device is tested, and new streams of unknown senders get workers of
// their own for a while, where it shows which of them block.
func (c *course) crowded(d *device, err error) {
	if _, testable := d.engine.(reprober); !testable {
		c.p.accuse(d, err)
		return
	}
	now := time.Now()
	c.p.incidents.Crowded(now)
	d.mu.Lock()
	test := now.Sub(d.evidence.cleared) >= trusted && d.evidence.beginTest(d.gone, now)
	d.mu.Unlock()
	if test {
		c.p.spawn(func() { c.p.examine(d) })
	}
}

// beginTest reports whether a test is to begin now. After one that could not be made new
// senders are not made to wait for another at once. The caller holds mu.
func (e *evidence) beginTest(gone bool, now time.Time) bool {
	begins := !e.testing && !gone && now.Sub(e.undecided) >= trusted
	e.testing = e.testing || begins
	return begins
}

// besideOthers is the fault of a device whose test could not be made alone.
func besideOthers(err error) error {
	return fault.Wrap(fault.DeviceTestFailed, "test a device beside segments", err)
}
