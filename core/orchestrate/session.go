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
	open int
	// queuedSegments counts segments that are being transcoded or wait for it.
	queued int
	// turn holds one element while a segment is being transcoded. Waiting goroutines are
	// served in the order of their arrival.
	turn chan struct{}
	// transcoded: at least one segment was transcoded.
	worked atomic.Bool
	// segmentReceived: a whole segment was received. Before that the session ends with its
	// uploads.
	sent bool
	// ended: the gateway has ended it.
	ended bool
	// failing: the last segment failed.
	failing bool
	// displaced: it was ended in favor of another party's session.
	displaced bool
	// lastActivity is when a segment last began or ended; activeSince, when it last finished
	// a segment, or began to send one after a pause.
	last, since time.Time
	// protectedUntil is until when its finished segments protect it from displacement.
	keptUntil time.Time
	// idle is its element in Orchestrator.idleSessions, nil while it has open segments.
	idle *list.Element
}

const opAdmitSession = "admit session"

// joinSession adds a segment to session id. It creates the session if there is capacity or,
// for a paid segment, if another party's session can be displaced. The error is errPayFirst
// if only an unpaid segment's lack of payment prevents the latter.
func (o *Orchestrator) enter(id core.SessionID, req *SegmentRequest, paid bool) (*session, error) {
	now, party := o.opt.Now(), o.party(req)
	// An expired session must not keep a new one out until the next sweep.
	o.sweepSessions(now)

	o.mu.Lock()
	defer o.mu.Unlock()
	s, gives, err := o.find(id, party)
	switch {
	case err != nil:
		return nil, err
	case s != nil:
		o.hold(s, now)
		s.ended = false
		return s, nil
	case gives != nil && !paid:
		return nil, errPayFirst
	}
	s = &session{id: id, party: party, open: 1, turn: make(chan struct{}, 1), last: now, since: now}
	o.add(s)
	if err := o.seat(s, gives, req, paid); err != nil {
		// Other segments may have joined while a displaced session ended.
		if s.open--; s.open == 0 {
			o.remove(s)
		}
		return nil, err
	}
	return s, nil
}

// mayJoinSession reports whether joinSession would admit a paid segment, as far as that is
// known without creating a session. It creates none.
func (o *Orchestrator) mayEnter(id core.SessionID, party string) error {
	o.sweepSessions(o.opt.Now())
	o.mu.Lock()
	defer o.mu.Unlock()
	_, _, err := o.find(id, party)
	return err
}

// findLocked returns the session of an id, or nil when the party may have a new one: there
// is capacity, or giving is the session to displace for it.
func (o *Orchestrator) find(id core.SessionID, party string) (s, gives *session, err error) {
	s = o.sessions[id]
	switch {
	case o.opt.Transcoder == nil:
		return nil, nil, noTranscoder(opAdmitSession)
	case o.phase == refusing, s == nil && o.phase == draining:
		return nil, nil, fault.New(fault.Draining, opAdmitSession, "the node is stopping")
	case s != nil:
		return s, nil, nil
	}
	if gives, err = o.room(opAdmitSession, party); err != nil {
		o.opt.Recorder.SessionRefused(string(fault.CodeOf(err)))
		return nil, nil, err
	}
	return nil, gives, nil
}

// leaveSession undoes one joinSession. The session ends with its last open segment if its
// gateway has ended it or never sent a whole segment.
func (o *Orchestrator) leave(s *session) {
	o.mu.Lock()
	o.release(s, o.opt.Now())
	gone := s.open == 0 && (s.ended || !s.sent) && o.sessions[s.id] == s
	if gone {
		o.remove(s)
	}
	o.wake()
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
func (o *Orchestrator) add(s *session) {
	o.sessions[s.id] = s
	o.held[s.party]++
	o.opt.Recorder.Sessions(len(o.sessions), o.limit())
}

// removeLocked removes a session from the table, if it is there. Its renditions stay for a
// grace period. The caller calls endTranscoding after it has released mu.
func (o *Orchestrator) remove(s *session) {
	if o.sessions[s.id] != s {
		return
	}
	delete(o.sessions, s.id)
	decrement(o.held, s.party)
	o.unlist(s)
	o.results.End(s.id)
	o.opt.Recorder.Sessions(len(o.sessions), o.limit())
}

// capacityLocked checks that a party may have another session. giving is the session that
// must be displaced for it, if any.
func (o *Orchestrator) room(op, party string) (gives *session, err error) {
	if err = o.full(op); err == nil {
		return nil, nil
	}
	now := o.opt.Now()
	if o.refusal() == nil && !o.inVain(party) {
		if gives = o.displaceable(o.held[party], now); gives != nil {
			return gives, nil
		}
	}
	return nil, o.crowd.refused(err, now)
}

// fullLocked returns why there is no capacity for another session, nil if there is.
func (o *Orchestrator) full(op string) error {
	if u := (Usage{Sessions: len(o.sessions), Limit: o.limit()}); u.Full() {
		return o.capped(op, u)
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

// Capped is the refusal of another session when Usage has reached its limit: an
// OrchestratorCapped whose detail names the bound.
func (o *Orchestrator) Capped() *fault.Fault {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.capped(opAdmitSession, Usage{Sessions: len(o.sessions), Limit: o.limit()})
}

// cappedLocked refuses a session beyond the limit and names the limiting bound.
func (o *Orchestrator) capped(op string, u Usage) *fault.Fault {
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
func (o *Orchestrator) refusal() *fault.Fault {
	if o.opt.Admitter == nil {
		return nil
	}
	return o.opt.Admitter.Usage().Refusal
}

// limitLocked is the maximum number of sessions, 0 for no fixed limit.
func (o *Orchestrator) limit() int {
	if o.maxSessions == 0 && o.opt.Admitter != nil {
		return o.opt.Admitter.Usage().Limit
	}
	return o.maxSessions
}
