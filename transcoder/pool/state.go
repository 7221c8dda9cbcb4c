package pool

import (
	"time"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
)

const (
	// faultGap separates failures: a dead worker fails all its segments at once, which
	// counts as one failure.
	faultGap = 500 * time.Millisecond
	// maxFaults is the number of consecutive failures that starts a quarantine.
	maxFaults         = 3
	firstQuarantine   = time.Second
	longestQuarantine = time.Minute
)

// state decides whether a device accepts sessions. It is guarded by the device's mu.
type state struct {
	// gone: it was detached. suspended is why its owner keeps sessions away, nil when it
	// does not; draining: that is shown as draining. operatorDrained: the operator drains
	// the device, which only the operator ends.
	gone                      bool
	suspended                 *fault.Fault
	draining, operatorDrained bool
	// quarantine is nil while there is none.
	quarantine *quarantine
	// faults counts consecutive failures; lastFault and cause are those of the latest.
	faults    int
	lastFault time.Time
	cause     error
	// penalties counts failed segments since the last good one, penalizedAt is the time of
	// the latest; see activePenalties.
	penalties   int
	penalizedAt time.Time
}

// quarantine is a time in which a device that failed repeatedly gets no sessions.
type quarantine struct {
	until time.Time
	// over is closed when it ends early.
	over chan struct{}
}

// phase is what a device may do now. Several reasons may keep sessions away at once; the
// phase is the one that lasts longest.
type phase int

const (
	phaseReady phase = iota
	phaseQuarantined
	phaseSuspended
	phaseOperatorDrained
	phaseDetached
)

func (s *state) phase() phase {
	switch {
	case s.gone:
		return phaseDetached
	case s.operatorDrained:
		return phaseOperatorDrained
	case s.suspended != nil:
		return phaseSuspended
	case s.quarantine != nil:
		return phaseQuarantined
	}
	return phaseReady
}

func (s *state) ready() bool { return s.phase() == phaseReady }

// fail counts a failure of the device itself, and reports whether a quarantine begins.
func (s *state) fail(now time.Time, cause error) bool {
	if s.faults > 0 && now.Sub(s.lastFault) < faultGap {
		return false
	}
	s.faults++
	s.lastFault, s.cause = now, cause
	n := s.faults - maxFaults
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

// worked clears the failures and the quarantine after a good segment.
func (s *state) worked() {
	s.faults, s.penalties = 0, 0
	s.release()
}

// release ends the quarantine, if there is one.
func (s *state) release() {
	if s.quarantine != nil {
		close(s.quarantine.over)
		s.quarantine = nil
	}
}

// describe returns the state as placement names it, with code and reason when it is not ready.
func (s *state) describe() (name string, code fault.Code, reason string) {
	switch s.phase() {
	case phaseDetached:
		return device.Draining, fault.DeviceDrained, "detached"
	case phaseOperatorDrained:
		return device.Draining, fault.DeviceDrained, "the operator drains it"
	case phaseSuspended:
		name = device.Suspended
		if s.draining {
			name = device.Draining
		}
		_, reason = fault.Public(s.suspended)
		return name, s.suspended.Code, reason
	case phaseQuarantined:
		_, reason = fault.Public(s.cause)
		return device.Quarantined, fault.CodeOf(s.cause), reason
	}
	return device.Ready, "", ""
}
