package pool

import (
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
)

// device is an engine and what is known of it. All but engine and alone is under
// the pool's mu.
type device struct {
	engine transcoder.Engine
	// alone bounds the processes that serve one segment each.
	alone chan struct{}

	sessions int
	load     int64
	// cost is the real-time ratio per unit of load, smoothed; 0 before the first
	// measurement. See measure.
	cost float64
	// ratio is the real-time ratio of the segments of late, smoothed: below 1 a
	// segment takes less time than it plays.
	ratio float64

	// faults are the failures of the device in a row, lastFault the latest.
	faults    int
	lastFault time.Time
	lastCode  fault.Code
	// until is the end of its quarantine.
	until time.Time
}

const (
	// sameFault: one dead worker fails all that is in it; that is one failure.
	sameFault = 500 * time.Millisecond
	// patience is how many failures in a row a device may have before it gets no
	// new sessions for a while.
	patience          = 3
	firstQuarantine   = time.Second
	longestQuarantine = time.Minute
)

// name is the device for the books of who did what: "cpu", "gpu 0".
func (d *device) name() string {
	name := d.engine.Device()
	if _, err := strconv.Atoi(name); err == nil {
		return "gpu " + name
	}
	return name
}

func (d *device) quarantined(now time.Time) bool { return now.Before(d.until) }

// failed books a failure of the device, not of a segment.
func (d *device) failed(now time.Time, code fault.Code) {
	if d.faults > 0 && now.Sub(d.lastFault) < sameFault {
		return
	}
	d.faults++
	d.lastFault, d.lastCode = now, code
	if n := d.faults - patience; n >= 0 {
		d.until = now.Add(min(longestQuarantine, firstQuarantine<<min(n, 16)))
	}
}

func (d *device) worked() { d.faults, d.until = 0, time.Time{} }
