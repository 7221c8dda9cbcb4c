package orchestrate

import (
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// LiveInterval is how often live work is charged.
func (o *Orchestrator) LiveInterval() time.Duration { return o.opt.LiveInterval }

// Due reports whether an interval has passed since the units billed last, or the session has gone on for too long
// beyond what its account holds. Waiting for the interval then would be as much again for a payer of short sessions.
func (s *LiveSession) Due() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	due := s.dueLocked()
	if due >= s.intervalUnits() {
		return true
	}
	late := due - s.graceLocked()
	return !s.shared && due > 0 && late >= 0 && late >= s.tab.Held()
}

// graceLocked are the units for which a payment may be late: a second, or a tenth of what was billed, which is no more
// than an interval.
func (s *LiveSession) graceLocked() int64 { return max(1, s.unit.perSecond(), s.charged/lateShare) }

// intervalUnits are what is charged at a time.
func (s *LiveSession) intervalUnits() int64 { return max(1, s.unit.units(s.o.opt.LiveInterval)) }

// dueLocked returns the whole units that are not billed yet. What is less than a unit stays due.
func (s *LiveSession) dueLocked() int64 {
	if s.ended || s.unit == LiveFixed {
		return 0
	}
	elapsed := s.o.opt.Elapsed() - s.begun
	if s.shared {
		elapsed = (elapsed + time.Second - 1).Truncate(time.Second)
	}
	return s.unit.units(elapsed) - s.charged
}

// Charge bills the time since the last charge, by the monotonic clock, in whole units. If the
// account holds less, it bills what that holds, and the fault InsufficientBalance says that the
// session must end.
func (s *LiveSession) Charge() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.chargeLocked(s.dueLocked())
}

func (s *LiveSession) chargeLocked(due int64) error {
	if due <= 0 {
		return nil
	}
	billed := s.tab.Charge(due)
	s.charged += billed
	if billed < due {
		return fault.New(fault.InsufficientBalance, "charge live work", "")
	}
	return nil
}

// LiveUnit is what live work is charged by.
type LiveUnit string

// The units, by the names that the network has for them.
const (
	LiveSeconds LiveUnit = "seconds"
	LivePixels  LiveUnit = "720p-pixel-seconds"
	// LiveFixed is one price for a session of any length.
	LiveFixed LiveUnit = "fixed"
)

// PixelsPerSecond is what a second of live video is charged as: 720p at 30 frames per second,
// whatever the video's size.
const PixelsPerSecond = 1280 * 720 * 30

// perSecond returns the units of a second; 0 for a fixed price.
func (u LiveUnit) perSecond() int64 {
	switch u {
	case LiveSeconds:
		return 1
	case LivePixels:
		return PixelsPerSecond
	}
	return 0
}

// units returns the whole units of a time.
func (u LiveUnit) units(d time.Duration) int64 {
	if d <= 0 {
		return 0
	}
	// The whole seconds are taken apart: nanoseconds times pixels overflow after minutes.
	per := u.perSecond()
	return int64(d/time.Second)*per + int64(d%time.Second)*per/int64(time.Second)
}
