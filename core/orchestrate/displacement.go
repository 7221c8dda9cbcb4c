package orchestrate

import (
	"errors"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// A full node shares its sessions among parties: a party that asks for a session gets one of
// the party that has the most. Sessions that recently finished segments, or are sending or
// queueing one, are protected; the longest idle session is displaced first.
const (
	// fairStep is how many sessions more the displaced party must have. Afterwards it still
	// has as many as the new one, so that sessions are not displaced back and forth.
	fairStep = 2
	// onlyGrace is how long a party's only session, when idle, is protected beyond
	// protectedUntil from a party that has none: it may hold all of a device's encoders or
	// memory.
	onlyGrace = 10 * time.Second
	// uploadGrace is how long an unprotected session may take to send a segment.
	uploadGrace = 2 * time.Second
	// maxLead limits how long finished segments protect a session.
	maxLead = 30 * time.Second
	// maxDisplaced is how many sessions may be displaced for one, which may need more of a
	// device than each of them.
	maxDisplaced = 4
	// futileRest is how long no session is displaced for a party after a displacement did
	// not help: no device may ever fit its session. maxFutileParties limits the record.
	futileRest       = time.Minute
	maxFutileParties = 1024
	// leadFactor times its playing time is how long a finished segment protects its session,
	// because the next one may be late.
	leadFactor = 2
	// pixelTolerance is by which factor a stream may have fewer pixels than its profiles
	// imply: where the source's frame rate is kept, the profile's is only an upper bound.
	pixelTolerance = 4
)

// errPayFirst: the segment needs another session's displacement, which only a paid segment
// may cause.
var errPayFirst = errors.New("another party's session would have to give way")

// displaceableLocked returns the session to displace for a party that has so many, nil if none.
func (o *Orchestrator) displaceableLocked(have int, now time.Time) *session {
	least := have + fairStep
	var found *session
	for e := o.idleSessions.Front(); e != nil; e = e.Next() {
		s := e.Value.(*session)
		n := o.sessionsByParty[s.party]
		paused := have == 0 && found == nil && now.Sub(s.protectedUntil) >= onlyGrace &&
			now.Sub(s.lastActivity) >= onlyGrace
		if (n >= least || paused) && !now.Before(s.protectedUntil) {
			found, least = s, max(least, n+1)
		}
	}
	if found != nil {
		return found
	}
	for _, s := range o.sessions {
		if o.sessionsByParty[s.party] >= least && s.stalledLocked(now) &&
			(found == nil || s.activeSince.Before(found.activeSince)) {
			found = s
		}
	}
	return found
}

// admitToDevicesLocked asks the devices to take a new session, which is already in the table
// so that no other one takes the freed capacity. It displaces giving first, and further
// sessions if that is not enough. It releases mu while displaced sessions end.
func (o *Orchestrator) admitToDevicesLocked(s, giving *session, req *SegmentRequest, paid bool) error {
	ended := false
	for n := 0; ; n++ {
		if giving != nil {
			o.displaceLocked(giving)
			ended = true
		}
		err := o.askAdmitter(s.id, req)
		giving = nil
		capped := fault.CodeOf(err) == fault.OrchestratorCapped && o.admitterRefusal() == nil
		if capped && n < maxDisplaced && !o.displacementFutileLocked(s.party) {
			giving = o.displaceableLocked(o.sessionsByParty[s.party]-1, o.opt.Now())
		}
		if capped && giving == nil && ended && len(o.futileDisplacements) < maxFutileParties {
			o.futileDisplacements[s.party] = o.opt.Now()
		}
		switch {
		case giving == nil:
			return o.capacityRefusals.record(err, o.opt.Now())
		case !paid:
			return errPayFirst
		}
	}
}

// displacementFutileLocked reports whether sessions were displaced for the party recently
// and did not help.
func (o *Orchestrator) displacementFutileLocked(party string) bool {
	before := o.opt.Now().Add(-futileRest)
	for other, at := range o.futileDisplacements {
		if !at.After(before) {
			delete(o.futileDisplacements, other)
		}
	}
	_, futile := o.futileDisplacements[party]
	return futile
}

// askAdmitter asks the devices for a session. The Admitter counts refusals.
func (o *Orchestrator) askAdmitter(id core.SessionID, req *SegmentRequest) error {
	if o.opt.Admitter == nil {
		return nil
	}
	return o.opt.Admitter.Admit(req.session(id, o.party(req)))
}

// stalledLocked reports whether a session has only been sending a segment for longer than
// uploadGrace. The caller holds Orchestrator.mu.
func (s *session) stalledLocked(now time.Time) bool {
	return s.openSegments > 0 && s.queuedSegments == 0 && !now.Before(s.protectedUntil) &&
		now.Sub(s.activeSince) >= uploadGrace
}

// segmentArrivedLocked restarts activeSince, unless another segment ended a moment before:
// then both are the same attempt. The caller holds Orchestrator.mu.
func (s *session) segmentArrivedLocked(now time.Time) {
	if s.openSegments == 0 && now.Sub(s.lastActivity) >= uploadGrace {
		s.activeSince = now
	}
}

// extendProtection protects the session after a finished segment until the next one is due.
func (g *Segment) extendProtection(encoded core.Pixels) {
	g.o.mu.Lock()
	defer g.o.mu.Unlock()
	s, now := g.s, g.o.opt.Now()
	s.activeSince = now
	if s.protectedUntil.Before(now) {
		s.protectedUntil = now
	}
	s.protectedUntil = s.protectedUntil.Add(leadFactor * g.playingTime(encoded))
	if most := now.Add(maxLead); s.protectedUntil.After(most) {
		s.protectedUntil = most
	}
}

// playingTime returns the segment's duration as announced, at most what its pixels confirm.
func (g *Segment) playingTime(encoded core.Pixels) time.Duration {
	second := core.EstimatePixels(g.req.Profiles, time.Second)
	if second <= 0 {
		return 0
	}
	seconds := min(pixelTolerance*float64(encoded)/float64(second), maxLead.Seconds())
	shown := time.Duration(seconds * float64(time.Second))
	if g.req.Duration > 0 {
		return min(shown, g.req.Duration)
	}
	return shown
}

// displaceLocked ends a session in favor of another party's. It releases mu while it
// notifies the transcoder.
func (o *Orchestrator) displaceLocked(s *session) {
	s.displaced = true
	o.removeLocked(s)
	o.mu.Unlock()
	defer o.mu.Lock()
	o.endTranscoding(s.id)
	o.opt.Log.Info("session ended: its gateway holds the most, and another gateway needs a session",
		"session", s.id)
}
