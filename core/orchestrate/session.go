package orchestrate

import (
	"container/list"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// session is one stream. Orchestrator.mu guards its fields, except turn and transcoded.
type session struct {
	id core.SessionID
	// party is accountable for it.
	party string
	// openSegments counts segments that are admitted and not closed.
	openSegments int
	// queuedSegments counts segments that are being transcoded or wait for it.
	queuedSegments int
	// turn holds one element while a segment is being transcoded. Waiting goroutines are
	// served in the order of their arrival.
	turn chan struct{}
	// transcoded: at least one segment was transcoded.
	transcoded atomic.Bool
	// segmentReceived: a whole segment was received. Before that the session ends with its
	// uploads.
	segmentReceived bool
	// ended: the gateway has ended it.
	ended bool
	// failing: the last segment failed.
	failing bool
	// displaced: it was ended in favor of another party's session.
	displaced bool
	// lastActivity is when a segment last began or ended; activeSince, when it last finished
	// a segment, or began to send one after a pause.
	lastActivity, activeSince time.Time
	// protectedUntil is until when its finished segments protect it from displacement.
	protectedUntil time.Time
	// idle is its element in Orchestrator.idleSessions, nil while it has open segments.
	idle *list.Element
}

const opAdmitSession = "admit session"

// joinSession adds a segment to session id. It creates the session if there is capacity or,
// for a paid segment, if another party's session can be displaced. The error is errPayFirst
// if only an unpaid segment's lack of payment prevents the latter.
func (o *Orchestrator) joinSession(id core.SessionID, req *SegmentRequest, paid bool) (*session, error) {
	now, party := o.opt.Now(), o.party(req)
	// An expired session must not keep a new one out until the next sweep.
	o.sweepSessions(now)

	o.mu.Lock()
	defer o.mu.Unlock()
	s, giving, err := o.findLocked(id, party)
	switch {
	case err != nil:
		return nil, err
	case s != nil:
		o.openSegmentLocked(s, now)
		s.ended = false
		return s, nil
	case giving != nil && !paid:
		return nil, errPayFirst
	}
	s = &session{id: id, party: party, openSegments: 1, turn: make(chan struct{}, 1), lastActivity: now,
		activeSince: now}
	o.addLocked(s)
	if err := o.admitToDevicesLocked(s, giving, req, paid); err != nil {
		// Other segments may have joined while a displaced session ended.
		if s.openSegments--; s.openSegments == 0 {
			o.removeLocked(s)
		}
		return nil, err
	}
	return s, nil
}

// mayJoinSession reports whether joinSession would admit a paid segment, as far as that is
// known without creating a session. It creates none.
func (o *Orchestrator) mayJoinSession(id core.SessionID, party string) error {
	o.sweepSessions(o.opt.Now())
	o.mu.Lock()
	defer o.mu.Unlock()
	_, _, err := o.findLocked(id, party)
	return err
}

// findLocked returns the session of an id, or nil when the party may have a new one: there
// is capacity, or giving is the session to displace for it.
func (o *Orchestrator) findLocked(id core.SessionID, party string) (s, giving *session, err error) {
	s = o.sessions[id]
	switch {
	case o.opt.Transcoder == nil:
		return nil, nil, noTranscoder(opAdmitSession)
	case o.phase == refusing, s == nil && o.phase == draining:
		return nil, nil, fault.New(fault.Draining, opAdmitSession, "the node is stopping")
	case s != nil:
		return s, nil, nil
	}
	if giving, err = o.capacityLocked(opAdmitSession, party); err != nil {
		o.opt.Recorder.SessionRefused(string(fault.CodeOf(err)))
		return nil, nil, err
	}
	return nil, giving, nil
}

// leaveSession undoes one joinSession. The session ends with its last open segment if its
// gateway has ended it or never sent a whole segment.
func (o *Orchestrator) leaveSession(s *session) {
	o.mu.Lock()
	o.closeSegmentLocked(s, o.opt.Now())
	gone := s.openSegments == 0 && (s.ended || !s.segmentReceived) && o.sessions[s.id] == s
	if gone {
		o.removeLocked(s)
	}
	o.wakeLocked()
	o.mu.Unlock()
	if gone {
		o.endTranscoding(s.id)
	}
}

// noTranscoder refuses a segment with a code on which gateways try another orchestrator.
func noTranscoder(op string) error {
	return fault.New(fault.OrchestratorCapped, op, "this node does not transcode")
}

// endTranscoding notifies the transcoder of a session's end. The caller must not hold mu.
func (o *Orchestrator) endTranscoding(id core.SessionID) {
	if o.opt.Transcoder != nil {
		o.opt.Transcoder.EndSession(id)
	}
}

// addLocked adds a session to the table.
func (o *Orchestrator) addLocked(s *session) {
	o.sessions[s.id] = s
	o.sessionsByParty[s.party]++
	o.opt.Recorder.Sessions(len(o.sessions), o.limitLocked())
}

// removeLocked removes a session from the table, if it is there. Its renditions stay for a
// grace period. The caller calls endTranscoding after it has released mu.
func (o *Orchestrator) removeLocked(s *session) {
	if o.sessions[s.id] != s {
		return
	}
	delete(o.sessions, s.id)
	decrement(o.sessionsByParty, s.party)
	o.removeIdleLocked(s)
	o.results.End(s.id)
	o.opt.Recorder.Sessions(len(o.sessions), o.limitLocked())
}

// capacityLocked checks that a party may have another session. giving is the session that
// must be displaced for it, if any.
func (o *Orchestrator) capacityLocked(op, party string) (giving *session, err error) {
	if err = o.fullLocked(op); err == nil {
		return nil, nil
	}
	now := o.opt.Now()
	if o.admitterRefusal() == nil && !o.displacementFutileLocked(party) {
		if giving = o.displaceableLocked(o.sessionsByParty[party], now); giving != nil {
			return giving, nil
		}
	}
	return nil, o.capacityRefusals.record(err, now)
}

// fullLocked returns why there is no capacity for another session, nil if there is.
func (o *Orchestrator) fullLocked(op string) error {
	if u := (Usage{Sessions: len(o.sessions), Limit: o.limitLocked()}); u.Full() {
		return o.cappedLocked(op, u)
	}
	if o.opt.Admitter == nil {
		return nil
	}
	u := o.opt.Admitter.Usage()
	switch {
	case u.Refusal != nil:
		return u.Refusal
	case u.Full():
		return o.opt.Admitter.Capped()
	}
	return nil
}

// Capped returns the refusal of another session when Usage has reached its limit: an
// OrchestratorCapped whose detail names the bound.
func (o *Orchestrator) Capped() *fault.Fault {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.cappedLocked(opAdmitSession, Usage{Sessions: len(o.sessions), Limit: o.limitLocked()})
}

// cappedLocked refuses a session beyond the limit and names the limiting bound.
func (o *Orchestrator) cappedLocked(op string, u Usage) *fault.Fault {
	if o.maxSessions > 0 || o.opt.Admitter == nil {
		return &fault.Fault{
			Code: fault.OrchestratorCapped, Op: op, Detail: string(ByOption) + ": " + u.String(), Err: ByOption,
		}
	}
	// The devices do not know all sessions yet.
	f := *o.opt.Admitter.Capped()
	f.Op, f.Detail = op, u.String()+"; "+f.Detail
	return &f
}

// admitterRefusal is why the Admitter admits no session at all, nil if it does.
func (o *Orchestrator) admitterRefusal() *fault.Fault {
	if o.opt.Admitter == nil {
		return nil
	}
	return o.opt.Admitter.Usage().Refusal
}

// limitLocked returns the maximum number of sessions, 0 for no fixed limit.
func (o *Orchestrator) limitLocked() int {
	if o.maxSessions == 0 && o.opt.Admitter != nil {
		return o.opt.Admitter.Usage().Limit
	}
	return o.maxSessions
}
