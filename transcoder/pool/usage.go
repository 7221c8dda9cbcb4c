package pool

import (
	"time"

	"github.com/tuttinode/tutti/core/orchestrate"
)

// Usage is how many sessions there are and how many there may be. In auto mode
// the limit is an estimate for sessions like those there are. It answers at once.
func (p *Pool) Usage() orchestrate.Usage {
	p.mu.Lock()
	defer p.mu.Unlock()
	u := orchestrate.Usage{Sessions: len(p.sessions), Limit: p.o.MaxSessions}
	if p.draining {
		u.Limit = u.Sessions
	} else if u.Limit == 0 {
		for _, d := range p.devices {
			u.Limit += p.limitOf(d)
		}
	}
	return u
}

// limitOf estimates how many sessions a device can have. The caller holds mu.
func (p *Pool) limitOf(d *device) int {
	if d.cost == 0 || d.sessions == 0 || d.load == 0 {
		return max(d.sessions, p.o.Untried)
	}
	usual := d.load / int64(d.sessions)
	fit := int(maxRatio / (d.cost * float64(usual)))
	if p.room(d, usual) {
		return max(d.sessions+1, fit)
	}
	// What the figures promise beyond is not proven yet.
	return d.sessions
}

// DeviceUse is what a device carries, for status pages and health.
type DeviceUse struct {
	Device   string
	Sessions int
	// Load is in requested pixels per second.
	Load int64
	// Ratio is the real-time ratio of late, below 1 when faster than real time;
	// 0 before the first segment.
	Ratio float64
	// Quarantined: the device failed repeatedly and gets no new sessions; Code
	// says why.
	Quarantined bool
	Code        string
}

// Capacity is the state of each device.
func (p *Pool) Capacity() []DeviceUse {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	out := make([]DeviceUse, 0, len(p.devices))
	for _, d := range p.devices {
		use := DeviceUse{Device: d.engine.Device(), Sessions: d.sessions, Load: d.load, Ratio: d.ratio}
		if d.quarantined(now) {
			use.Quarantined, use.Code = true, string(d.lastCode)
		}
		out = append(out, use)
	}
	return out
}
