package pool

import (
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
)

// maxRatio is the projected real-time ratio above which a device gets no further
// session: a fifth of the time is left for transfer and for what was not foreseen.
const maxRatio = 0.8

// Admit gives a new session a place; for one that has a place it does nothing.
// The fault is OrchestratorCapped when there is no room, Draining when the node
// stops. It answers at once.
func (p *Pool) Admit(r core.SessionRequest) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sessions[r.ID] != nil {
		return nil
	}
	_, err := p.admit(r.ID, r.Profiles)
	return err
}

// admit places a new session. The caller holds mu.
func (p *Pool) admit(id core.SessionID, profiles []core.Profile) (*session, error) {
	const op = "admit session"
	if p.draining {
		return nil, p.refuse(fault.New(fault.Draining, op, "the node stops"))
	}
	if n := p.o.MaxSessions; n > 0 && len(p.sessions) >= n {
		return nil, p.refuse(fault.New(fault.OrchestratorCapped, op, fmt.Sprintf("%d of %d in use", len(p.sessions), n)))
	}
	load := transcoder.Load(profiles)
	d := p.place(load)
	if d == nil {
		return nil, p.refuse(fault.New(fault.OrchestratorCapped, op,
			fmt.Sprintf("%d in use, one more would pass a real-time ratio of %.1f", len(p.sessions), maxRatio)))
	}
	s := &session{
		id: id, dev: d, load: load, used: time.Now(),
		turn: make(chan struct{}, 1), over: make(chan struct{}),
	}
	p.sessions[id] = s
	d.sessions++
	d.load += load
	return s, nil
}

func (p *Pool) refuse(f *fault.Fault) error {
	p.o.Recorder.SessionRefused(string(f.Code))
	return f
}

// place finds the device for a session of the given load, nil when none has
// room. The caller holds mu.
func (p *Pool) place(load int64) *device {
	auto := p.o.MaxSessions == 0
	d := p.best(func(d *device) bool { return !auto || p.room(d, load) })
	if d != nil {
		p.next = (p.index(d) + 1) % len(p.devices)
	}
	return d
}

// best is the least loaded device of those that fit, starting with the next in
// turn; quarantined ones come last. Without fit every device does, so that the
// answer is nil only when nothing fits. The caller holds mu.
func (p *Pool) best(fit func(*device) bool) *device {
	now := time.Now()
	var found *device
	for i := range p.devices {
		d := p.devices[(p.next+i)%len(p.devices)]
		if fit != nil && !fit(d) {
			continue
		}
		if found == nil || better(d, found, now) {
			found = d
		}
	}
	return found
}

func better(a, b *device, now time.Time) bool {
	if qa, qb := a.quarantined(now), b.quarantined(now); qa != qb {
		return qb
	}
	return a.load < b.load
}

func (p *Pool) index(d *device) int {
	for i := range p.devices {
		if p.devices[i] == d {
			return i
		}
	}
	return 0
}

// room says whether a device can take a session of the given load, by what was
// measured. The caller holds mu.
//
// A device without sessions always can: what it was once measured at may have
// changed, and only work shows. Sessions that have not shown their cost yet are
// at most as many as those that have, because the projection rests on these.
func (p *Pool) room(d *device, load int64) bool {
	if d.sessions == 0 {
		return true
	}
	known := 0
	for _, s := range p.sessions {
		if s.dev == d && s.measured {
			known++
		}
	}
	if d.cost == 0 {
		return d.sessions < p.o.Untried
	}
	return d.projected(load) <= maxRatio && d.sessions-known < max(p.o.Untried, known)
}

// projected is the real-time ratio to be expected with a further load.
func (d *device) projected(load int64) float64 { return d.cost * float64(d.load+load) }
