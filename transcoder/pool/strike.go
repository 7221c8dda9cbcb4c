package pool

import (
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

const (
	// strikeTime is how long a failed segment puts a device back, by a quarter of its
	// room, maxStrikes how many count. A device that fails at once is soon the one with
	// the most room, and would have all the sessions that others lose.
	strikeTime = time.Second
	maxStrikes = 8
)

// penalty is how many failures put the device back. The caller holds mu.
func (s *state) penalty(now time.Time) int {
	if s.strikes == 0 || now.Sub(s.struck) >= strikeTime {
		return 0
	}
	return min(s.strikes, maxStrikes)
}

// strike counts a segment that a device failed.
func (p *Pool) strike(d *device, err error) {
	if code := fault.CodeOf(err); code == fault.Canceled || code == fault.DeadlineExceeded {
		return
	}
	d.tally.Failed()
	if worthRetry(err) && !full(err) && fault.CodeOf(err) != fault.TranscoderBehind {
		p.hit(d)
	}
}

// hit puts a device back for a failure of its own.
func (p *Pool) hit(d *device) {
	now := time.Now()
	d.mu.Lock()
	first := d.penalty(now) == 0
	d.strikes++
	d.struck = now
	d.mu.Unlock()
	if !first {
		return
	}
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	p.table.struck = append(p.table.struck, d)
	p.refresh(d)
}

// pardonOld looks again at the devices whose failures are old enough. They come in the
// order in which they were struck. The caller holds table.mu.
func (p *Pool) pardonOld() {
	now := time.Now()
	for t := &p.table; len(t.struck) > 0; {
		d := t.struck[0]
		d.mu.Lock()
		waits := d.penalty(now) > 0
		again := now.Sub(d.struck) < strikeTime/2
		d.mu.Unlock()
		if waits && !again {
			return
		}
		t.struck[0] = nil
		t.struck = t.struck[1:]
		if waits {
			t.struck = append(t.struck, d) // it failed again since
			return
		}
		p.refresh(d)
	}
}
