package pool

import (
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/placement"
)

const (
	// sameFault: one dead worker fails all that is in it; that is one failure.
	sameFault = 500 * time.Millisecond
	// patience is how many failures in a row a device may have before it gets no
	// new sessions for a while.
	patience          = 3
	firstQuarantine   = time.Second
	longestQuarantine = time.Minute
)

// state says whether a device gets sessions. It is under the device's mu.
type state struct {
	// gone: it was detached. away is why whoever attached it keeps sessions away, drained
	// whether that is to be shown as draining. barred says that the operator does, which
	// only the operator ends.
	gone            bool
	away            *fault.Fault
	drained, barred bool
	// quarantine is nil while there is none.
	quarantine *quarantine
	// faults are the failures in a row, lastFault the time of the latest, cause what it
	// was.
	faults    int
	lastFault time.Time
	cause     error
	// strikes are the segments that it failed since it last did one, struck is the time
	// of the latest; see penalty.
	strikes int
	struck  time.Time
}

// quarantine is a time in which a device that failed again and again gets nothing.
type quarantine struct {
	until time.Time
	// over is closed when it ends before its time.
	over chan struct{}
}

func (s *state) ready() bool {
	return !s.gone && !s.barred && s.away == nil && s.quarantine == nil
}

// fail books a failure of the device, not of a segment, and reports whether a
// quarantine begins.
func (s *state) fail(now time.Time, cause error) bool {
	if s.faults > 0 && now.Sub(s.lastFault) < sameFault {
		return false
	}
	s.faults++
	s.lastFault, s.cause = now, cause
	n := s.faults - patience
	if n < 0 {
		return false
	}
	until := now.Add(min(longestQuarantine, firstQuarantine<<min(n, 16)))
	if s.quarantine != nil {
		s.quarantine.until = until
		return false
	}
	s.quarantine = &quarantine{until: until, over: make(chan struct{})}
	return true
}

// worked forgets the failures.
func (s *state) worked() {
	s.faults, s.strikes = 0, 0
	s.release()
}

// release ends the quarantine, if there is one.
func (s *state) release() {
	if s.quarantine != nil {
		close(s.quarantine.over)
		s.quarantine = nil
	}
}

// describe is the state in placement's words, with code and reason when it is not
// ready.
func (s *state) describe() (name string, code fault.Code, reason string) {
	switch {
	case s.gone:
		return placement.Draining, fault.DeviceDrained, "detached"
	case s.barred:
		return placement.Draining, fault.DeviceDrained, "the operator drains it"
	case s.away != nil:
		name = placement.Suspended
		if s.drained {
			name = placement.Draining
		}
		_, reason = fault.Public(s.away)
		return name, s.away.Code, reason
	case s.quarantine != nil:
		_, reason = fault.Public(s.cause)
		return placement.Quarantined, fault.CodeOf(s.cause), reason
	}
	return placement.Ready, "", ""
}
