package pool

import (
	"context"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// reprobeTime bounds a device test.
const reprobeTime = 30 * time.Second

// reprober is a device that can be tested before it leaves a quarantine.
type reprober interface {
	Reprobe(ctx context.Context) error
}

// blameDevice records a failure that is the device's.
func (p *Pool) blameDevice(d *poolDevice, err error) {
	now := time.Now()
	d.mu.Lock()
	begins := !d.gone && d.fail(now, err)
	q := d.quarantine
	d.mu.Unlock()
	if begins {
		p.beginQuarantine(d, q, err)
	}
}

// beginQuarantine refuses new sessions for a device until the quarantine is over and, if
// it can be tested, it passes the test.
func (p *Pool) beginQuarantine(d *poolDevice, q *quarantine, err error) {
	now := time.Now()
	p.o.Log.Warn("a device fails repeatedly and gets no new sessions for a while",
		"device", d.label, "pause", q.until.Sub(now), fault.Attr(err))
	p.refresh(d)
	p.spawn(func() { p.awaitRecovery(d, q) })
}

// awaitRecovery waits until a device's quarantine is over, tests it if it can be tested,
// and gives it sessions again.
func (p *Pool) awaitRecovery(d *poolDevice, q *quarantine) {
	for p.awaitQuarantineEnd(d, q) {
		inconclusive, err := p.testInQuarantine(d)
		if inconclusive {
			err = inconclusiveTest(err)
		}
		d.mu.Lock()
		over := d.quarantine != q
		if !over && err == nil {
			d.release()
			over = true
		} else if !over {
			d.lastFault = time.Time{} // each test counts
			d.fail(time.Now(), err)
		}
		d.mu.Unlock()
		if err != nil {
			p.o.Log.Debug("a device is still not usable", "device", d.label, fault.Attr(err))
		}
		if over {
			p.o.Log.Info("a device gets sessions again", "device", d.label)
			p.refresh(d)
			return
		}
	}
}

// testInQuarantine tests a device. Segments on this machine do not disturb a remote one.
func (p *Pool) testInQuarantine(d *poolDevice) (inconclusive bool, err error) {
	if d.isRemote() {
		return false, p.reprobe(d)
	}
	return p.testUndisturbed(d)
}

// awaitQuarantineEnd waits until the quarantine's present end. It reports false when the
// quarantine ended early or the pool closes.
func (p *Pool) awaitQuarantineEnd(d *poolDevice, q *quarantine) bool {
	d.mu.Lock()
	until := q.until
	d.mu.Unlock()
	for {
		timer := time.NewTimer(time.Until(until))
		select {
		case <-timer.C:
		case <-q.over:
			timer.Stop()
			return false
		case <-p.done:
			timer.Stop()
			return false
		}
		d.mu.Lock()
		later := q.until
		d.mu.Unlock()
		if !later.After(until) {
			return true
		}
		until = later
	}
}

// reprobe tests a device; nil for a device without a test.
func (p *Pool) reprobe(d *poolDevice) error {
	r, ok := d.engine.(reprober)
	if !ok && !p.testable(d) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), reprobeTime)
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case <-p.done:
			cancel()
		case <-ctx.Done():
		}
	})
	var err error
	if ok {
		err = r.Reprobe(ctx)
	} else {
		err = p.testClip(ctx, d)
	}
	cancel()
	wg.Wait()
	return err
}
