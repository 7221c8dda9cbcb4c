package orchestrate

import (
	"errors"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// A full node keeps no party out that has fewer sessions than another: the party with the
// most gives one up. A session that keeps up with its stream, or is sending or waiting for
// a segment, stays; one that is only kept open goes, the longest idle first.
const (
	// fairStep is how many sessions more another party must have than the one that asks.
	// After the exchange it still has as many, so that no session goes back and forth.
	fairStep = 2
	// onlyGrace is how long a party's only session stays, beyond the time for which it keeps up
	// with its stream, where it does nothing and a party that has none asks: it may have all
	// of a device's encoders or memory.
	onlyGrace = 10 * time.Second
	// uploadGrace is how long a session that finishes nothing may take to send a segment.
	uploadGrace = 2 * time.Second
	// maxLead bounds how long finished segments keep a session.
	maxLead = 30 * time.Second
	// maxDisplaced bounds how many sessions give way to one: it may need more of a device
	// than each of them.
	maxDisplaced = 4
	// vainRest is for how long no session ends for a party for which some ended in vain: no
	// device may ever have room for what it asks. maxVain bounds the parties.
	vainRest = time.Minute
	maxVain  = 1024
	// leadFactor is how many times its playing time a finished segment keeps its session:
	// the next one may come late.
	leadFactor = 2
	// sparsePixels is how many times fewer pixels a stream may have than its profiles say,
	// whose frame rate is an upper bound where the source's is kept.
	sparsePixels = 4
)

// errPayFirst is why a segment does not enter that nothing was paid for yet: no session ends
// for it.
var errPayFirst = errors.New("another party's session would have to give way")

// displaceable is the session that gives way to one of a party that has so many, nil when
// there is none. The caller holds mu.
func (o *Orchestrator) displaceable(have int, now time.Time) *session {
	least := have + fairStep
	var found *session
	for e := o.idle.Front(); e != nil; e = e.Next() {
		s := e.Value.(*session)
		n := o.held[s.party]
		paused := have == 0 && found == nil && now.Sub(s.keptUntil) >= onlyGrace && now.Sub(s.last) >= onlyGrace
		if (n >= least || paused) && !now.Before(s.keptUntil) {
			found, least = s, max(least, n+1)
		}
	}
	if found != nil {
		return found
	}
	for _, s := range o.sessions {
		if o.held[s.party] >= least && s.stalled(now) && (found == nil || s.since.Before(found.since)) {
			found = s
		}
	}
	return found
}

// seat has the devices take a new session, which is in the table already: so none but it
// gets what becomes free when gives, or others of those that have most, give way. The
// caller holds mu, which is released while they end.
func (o *Orchestrator) seat(s, gives *session, req *SegmentRequest, paid bool) error {
	ended := false
	for n := 0; ; n++ {
		if gives != nil {
			o.displace(gives)
			ended = true
		}
		err := o.admitted(s.id, req)
		gives = nil
		capped := fault.CodeOf(err) == fault.OrchestratorCapped && o.refusal() == nil
		if capped && n < maxDisplaced && !o.inVain(s.party) {
			gives = o.displaceable(o.held[s.party]-1, o.opt.Now())
		}
		if capped && gives == nil && ended && len(o.vain) < maxVain {
			o.vain[s.party] = o.opt.Now()
		}
		switch {
		case gives == nil:
			return o.crowd.refused(err, o.opt.Now())
		case !paid:
			return errPayFirst
		}
	}
}

// inVain reports whether sessions ended for a party a moment ago and it got none all the same.
// The caller holds mu.
func (o *Orchestrator) inVain(party string) bool {
	before := o.opt.Now().Add(-vainRest)
	for other, at := range o.vain {
		if !at.After(before) {
			delete(o.vain, other)
		}
	}
	_, vain := o.vain[party]
	return vain
}

// admitted asks the devices for a session. A refusal is counted by the Admitter.
func (o *Orchestrator) admitted(id core.SessionID, req *SegmentRequest) error {
	if o.opt.Admitter == nil {
		return nil
	}
	return o.opt.Admitter.Admit(req.session(id))
}

// stalled reports whether all that a session does is to send a segment, for too long.
// The caller holds Orchestrator.mu.
func (s *session) stalled(now time.Time) bool {
	return s.open > 0 && s.queued == 0 && !now.Before(s.keptUntil) && now.Sub(s.since) >= uploadGrace
}

// begins notes that a segment arrives at a session. One that came to nothing just before is
// part of the same attempt. The caller holds Orchestrator.mu.
func (s *session) begins(now time.Time) {
	if s.open == 0 && now.Sub(s.last) >= uploadGrace {
		s.since = now
	}
}

// keep notes a finished segment, which keeps its session for as long as the next one may
// take to come.
func (g *Segment) keep(encoded core.Pixels) {
	g.o.mu.Lock()
	defer g.o.mu.Unlock()
	s, now := g.s, g.o.opt.Now()
	s.since = now
	if s.keptUntil.Before(now) {
		s.keptUntil = now
	}
	s.keptUntil = s.keptUntil.Add(leadFactor * g.playing(encoded))
	if most := now.Add(maxLead); s.keptUntil.After(most) {
		s.keptUntil = most
	}
}

// playing is how long the segment plays, at most: what its gateway says, as far as the
// pixels bear it out.
func (g *Segment) playing(encoded core.Pixels) time.Duration {
	second := core.EstimatePixels(g.req.Profiles, time.Second)
	if second <= 0 {
		return 0
	}
	seconds := min(sparsePixels*float64(encoded)/float64(second), maxLead.Seconds())
	shown := time.Duration(seconds * float64(time.Second))
	if g.req.Duration > 0 {
		return min(shown, g.req.Duration)
	}
	return shown
}

// displace ends a session that gives way to another party's. The caller holds mu, which is
// released while the transcoder is notified.
func (o *Orchestrator) displace(s *session) {
	s.displaced = true
	o.remove(s)
	o.mu.Unlock()
	defer o.mu.Lock()
	o.endTranscoding(s.id)
	o.opt.Log.Info("session ended: its gateway holds the most, and another one needs a session", "session", s.id)
}
