package orchestrate

import (
	"container/list"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// session is one stream. Its fields belong to Orchestrator.mu, except turn and worked.
type session struct {
	id core.SessionID
	// party is held to account for it.
	party string
	// open counts segments that were let in and are not closed yet.
	open int
	// queued counts segments that are being transcoded or wait for it.
	queued int
	// turn holds one element while a segment is being transcoded. Waiting
	// senders are served in the order of their arrival.
	turn chan struct{}
	// worked says that a segment was transcoded.
	worked atomic.Bool
	// sent says that a segment has arrived whole: before that the session does
	// not outlive its uploads.
	sent bool
	// ended says that the gateway has finished with it.
	ended bool
	// failing says that the last segment failed.
	failing bool
	// displaced says that it had to give way to another party's.
	displaced bool
	// last is when something last happened; since, when it last finished a segment, or
	// began to send one after a pause.
	last, since time.Time
	// keptUntil is how long it keeps up with its stream by the segments that it finished.
	keptUntil time.Time
	// idle is its place among the sessions with nothing open, nil while it has
	// something.
	idle *list.Element
}

const opAdmitSession = "admit session"

// enter lets a segment of session id in, creating the session if there is capacity or, for
// a segment that is paid, if another party's session gives way. The error is errPayFirst
// where it may do so once the segment is paid.
func (o *Orchestrator) enter(id core.SessionID, req *SegmentRequest, paid bool) (*session, error) {
	now, party := o.opt.Now(), o.party(req)
	// A stream that is gone must not keep a new one out until the next sweep.
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
		// Other segments of the session may have come while another one ended.
		if s.open--; s.open == 0 {
			o.remove(s)
		}
		return nil, err
	}
	return s, nil
}

// mayEnter says whether enter would let a paid segment in, as far as that can be found
// without a session, and changes nothing.
func (o *Orchestrator) mayEnter(id core.SessionID, party string) error {
	o.sweepSessions(o.opt.Now())
	o.mu.Lock()
	defer o.mu.Unlock()
	_, _, err := o.find(id, party)
	return err
}

// find is the session of an id, nil when there is capacity for a new one of the party, or
// when the session that is returned beside gives way to it. The caller holds mu.
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

// leave undoes one enter. The session goes with it when nothing holds it: its
// gateway ended it, or never got a segment through.
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

// noTranscoder refuses a segment in the words at which gateways go elsewhere.
func noTranscoder(op string) error {
	return fault.New(fault.OrchestratorCapped, op, "this node does not transcode")
}

// endTranscoding tells the transcoder that a session is over. The caller does
// not hold mu.
func (o *Orchestrator) endTranscoding(id core.SessionID) {
	if o.opt.Transcoder != nil {
		o.opt.Transcoder.EndSession(id)
	}
}

// add puts a session into the table. The caller holds mu.
func (o *Orchestrator) add(s *session) {
	o.sessions[s.id] = s
	o.held[s.party]++
	o.opt.Recorder.Sessions(len(o.sessions), o.limit())
}

// remove takes a session out of the table, if it is there; its renditions stay for a grace
// time. The caller holds mu and calls Transcoder.EndSession once it let go of it.
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

// room says whether another session of a party may be; where it may in the place of one
// that gives way, that one is returned. The caller holds mu.
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

// full is why there is no capacity for another session, nil when there is some. The caller
// holds mu.
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

// Capped is the refusal of another session where Usage is full by its limit: an
// OrchestratorCapped whose detail names the bound.
func (o *Orchestrator) Capped() *fault.Fault {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.capped(opAdmitSession, Usage{Sessions: len(o.sessions), Limit: o.limit()})
}

// capped refuses a session beyond the limit, by what makes the limit. The caller holds
// mu.
func (o *Orchestrator) capped(op string, u Usage) *fault.Fault {
	if o.maxSessions > 0 || o.opt.Admitter == nil {
		return &fault.Fault{
			Code: fault.OrchestratorCapped, Op: op, Detail: string(ByOption) + ": " + u.String(), Err: ByOption,
		}
	}
	// There are sessions here that the devices do not have yet.
	f := *o.opt.Admitter.Capped()
	f.Op, f.Detail = op, u.String()+"; "+f.Detail
	return &f
}

// refusal is why no session may come at all, nil when they may.
func (o *Orchestrator) refusal() *fault.Fault {
	if o.opt.Admitter == nil {
		return nil
	}
	return o.opt.Admitter.Usage().Refusal
}

// limit is the number of sessions that may be, 0 for no such number. The caller
// holds mu.
func (o *Orchestrator) limit() int {
	if o.maxSessions == 0 && o.opt.Admitter != nil {
		return o.opt.Admitter.Usage().Limit
	}
	return o.maxSessions
}
