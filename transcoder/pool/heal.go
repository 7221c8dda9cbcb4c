package pool

import (
	"context"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// reprobeTime bounds a test of a device.
const reprobeTime = 30 * time.Second

// reprober is a device that can be tested before it gets sessions again after it
// failed repeatedly.
type reprober interface {
	Reprobe(ctx context.Context) error
}

// accuse notes a failure that is the device's.
func (p *Pool) accuse(d *device, err error) {
	now := time.Now()
	d.mu.Lock()
	begins := !d.gone && d.fail(now, err)
	q := d.quarantine
	d.mu.Unlock()
	if begins {
		p.beginQuarantine(d, q, err)
	}
}

// beginQuarantine keeps new sessions from a device until it is over or, where it can be
// tested, until it works again.
func (p *Pool) beginQuarantine(d *device, q *quarantine, err error) {
	now := time.Now()
	p.o.Log.Warn("a device fails again and again and gets no new sessions for a while",
		"device", d.label, "pause", q.until.Sub(now), fault.Attr(err))
	p.look(d)
	p.spawn(func() { p.heal(d, q) })
}

// heal waits until a device's quarantine is over, tests it where that can be done, and
// gives it sessions again.
func (p *Pool) heal(d *device, q *quarantine) {
	for p.pause(d, q) {
		unsure, err := p.verify(d)
		if unsure {
			err = besideOthers(err)
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
			p.look(d)
			return
		}
	}
}

// pause waits until the quarantine's present end. It reports false when it has ended
// before, or the pool does.
func (p *Pool) pause(d *device, q *quarantine) bool {
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

// reprobe tests a device, nil where it has no test.
func (p *Pool) reprobe(d *device) error {
	r, ok := d.engine.(reprober)
	if !ok {
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
	err := r.Reprobe(ctx)
	cancel()
	wg.Wait()
	return err
}
