package pool

import (
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
)

const opAdmit = "admit session"

// Admit gives a new session a place; for one that has a place it does nothing.
// The fault is NoTranscoders when no device is ready, NoCapableTranscoder when none
// can do it, OrchestratorCapped when there is no room, Draining when the node stops.
// It answers at once.
func (p *Pool) Admit(r core.SessionRequest) error {
	if p.sessions.get(r.ID) != nil {
		return nil
	}
	_, err := p.admit(r)
	return err
}

// admit places a new session, or returns the one that came first.
func (p *Pool) admit(r core.SessionRequest) (*session, error) {
	s, err := p.place(r)
	if err != nil {
		p.o.Recorder.SessionRefused(string(err.Code))
		return nil, err
	}
	return s, nil
}

func (p *Pool) place(r core.SessionRequest) (*session, *fault.Fault) {
	t := &p.table
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := p.sessions.get(r.ID); s != nil {
		return s, nil
	}
	if p.draining.Load() {
		return nil, fault.New(fault.Draining, opAdmit, "the node stops")
	}
	if n, have := p.rules.maxSessions.Load(), p.number.Load(); n > 0 && have >= n {
		return nil, byOption(have, n)
	}
	p.catchUp(looks)
	s := newSession(r, t.needsOf(r.Needs, r.MinVersion))
	q := search{load: float64(s.weighted), renditions: s.renditions}
	d := p.choose(s.needs, &q)
	if d == nil {
		return nil, p.refusal(s.needs, &q)
	}
	p.admitted++
	s.seniority = p.admitted
	p.seat(s, d)
	p.number.Add(1)
	p.sessions.put(s)
	return s, nil
}

func newSession(r core.SessionRequest, n *needs) *session {
	load := loadOf(r.Profiles)
	s := &session{
		id: r.ID, needs: n, load: load, weighted: load, weight: 1, renditions: max(1, len(r.Profiles)),
		turn: make(chan struct{}, 1), over: make(chan struct{}),
	}
	s.used.Store(time.Now().UnixNano())
	return s
}

// leastLoad is what a session counts at least, as much as a rendition of 240p: its source is
// decoded however little is made of it.
const leastLoad = 426 * 240 * 30

// loadOf is what a session with such renditions counts.
func loadOf(profiles []core.Profile) int64 { return max(leastLoad, transcoder.Load(profiles)) }

// choose finds a device for a search, nil when there is none. What the trees know may
// be a little old, so the device that was found is looked at again. The caller holds
// table.mu.
func (p *Pool) choose(n *needs, q *search) *device {
	for range looks {
		d := p.table.find(n, q)
		if d == nil {
			return nil
		}
		p.refresh(d)
		if now := d.seen(); q.fits(&now) {
			return d
		}
	}
	return nil
}

// seen is the device's rank as the tree has it.
func (d *device) seen() rank {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.shown
}

// seat gives a session its place on a device. The caller holds table.mu, and the
// session's mu unless nobody else knows it.
func (p *Pool) seat(s *session, d *device) {
	p.table.turn++
	d.mu.Lock()
	d.turn = p.table.turn
	d.take(s)
	remote := d.offer.Remote && !d.gone
	d.mu.Unlock()
	s.dev, s.misfit = d, false
	p.refresh(d)
	p.lookLater(s, d, lately)
	if remote {
		p.remote(0, 0, 1)
	}
}

// lookLater has a device looked at again when a session has used what it asked for, or will not.
func (p *Pool) lookLater(s *session, d *device, after time.Duration) {
	time.AfterFunc(after, func() {
		if d.giveBack(s, time.Now()) {
			p.lookLater(s, d, time.Second)
		}
		p.table.touch(d)
	})
}

// unseat gives a session's place back. The caller holds table.mu and the session's mu.
func (p *Pool) unseat(s *session) {
	d := s.dev
	d.mu.Lock()
	d.drop(s)
	remote := d.offer.Remote && !d.gone
	d.mu.Unlock()
	p.refresh(d)
	if remote {
		p.remote(0, 0, -1)
	}
}
