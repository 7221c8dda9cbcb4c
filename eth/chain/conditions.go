package chain

import (
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
)

// lateRound is after how many layer-1 blocks, of about 12 s, an uninitialized round is a condition: some
// minutes, because a round is usually initialized at once.
const lateRound protocol.L1Block = 25

// updateConditions sets and clears the conditions that follow from the state.
func (f *follower) updateConditions() {
	s := f.cur
	o := s.Self
	f.clearFalseHeight()
	f.condition(fault.ProtocolPaused, s.Paused, "the Controller is paused")
	late := !s.Round.Initialized && s.Round.Length != 0 && s.Head.L1 >= s.Round.Start+lateRound
	f.condition(fault.RoundNotInitialized, late, fmt.Sprintf("round %d began at layer-1 block %d", s.Round.Number,
		s.Round.Start))
	f.condition(fault.ServiceURIUnset, f.missesURI(o), o.Address.String())
	f.condition(fault.NotRegistered, f.staysOutside(o),
		o.Address.String()+" is registered as no orchestrator, so gateways do not look for it")
	f.updateActiveSetConditions(s)
}

// outsideTime is for how long an orchestrator may be unregistered: many operators start the node, and
// register with it.
const outsideTime = time.Minute

// staysOutside reports whether a node that takes work has been unregistered for too long.
func (f *follower) staysOutside(o protocol.Orchestrator) bool {
	if f.c.opt.NoService || adminapi.PublicStateOf(o) != adminapi.PublicUnregistered {
		f.clock.outside = time.Time{}
		return false
	}
	if f.clock.outside.IsZero() {
		f.clock.outside = f.c.opt.Now()
	}
	return f.c.opt.Now().Sub(f.clock.outside) >= outsideTime
}

// uriPolls is for how many polls a service URI may be missing, about two minutes: activation bonds with one
// transaction and sets the URI with the next.
const uriPolls = 24

// missesURI reports whether an orchestrator has had no service URI for too long.
func (f *follower) missesURI(o protocol.Orchestrator) bool {
	if !o.Registered || o.ServiceURI != "" || f.c.opt.NoService {
		f.clock.noURI = time.Time{}
		return false
	}
	if f.clock.noURI.IsZero() {
		f.clock.noURI = f.c.opt.Now()
	}
	return f.c.opt.Now().Sub(f.clock.noURI) >= uriPolls*f.c.opt.PollInterval
}

// updateActiveSetConditions sets the conditions about the active set. The reason for being outside needs the
// whole pool, which is read in another goroutine; showRank gets the result.
func (f *follower) updateActiveSetConditions(s state) {
	o := s.Self
	joined := o.Registered && o.ActivationRound > s.Round.Number && o.DeactivationRound == protocol.Never
	out := o.Registered && !o.Active && !joined
	leaving := o.Active && o.DeactivationRound != protocol.Never
	if !out && !leaving {
		f.rank.reset()
		f.condition(fault.LeavingActiveSet, false, "")
		// An orchestrator that joined in this round only has to wait.
		f.condition(fault.InactiveOrchestrator, false, "")
		return
	}
	if f.rank.ask(s) {
		return
	}
	f.showRank(f.rank.detail)
}

// showRank adds the rank to the condition's detail.
func (f *follower) showRank(detail string) {
	if detail == "" || !f.rank.wanted {
		return
	}
	f.rank.detail = detail
	o := f.cur.Self
	f.condition(fault.LeavingActiveSet, o.Active, fmt.Sprintf("active until round %d; %s", o.DeactivationRound, detail))
	f.condition(fault.InactiveOrchestrator, !o.Active, detail)
}

func (f *follower) condition(code fault.Code, holds bool, detail string) {
	key := health.Key{Code: code}
	if holds {
		f.c.opt.Board.Set(key, detail)
		return
	}
	f.c.opt.Board.Clear(key)
}
