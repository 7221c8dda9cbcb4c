package main

import "time"

const (
	// playerDelay is how long the camera's page lets pictures wait (jitterBufferTarget): they come a segment at a time.
	playerDelay = 2500 * time.Millisecond
	// longestFreeze is for how long one picture may be shown when a process is killed.
	longestFreeze = 2 * time.Second
)

// screen reckons when a player shows the pictures that arrive: the first one after playerDelay, others at their time
// stamps, or as they arrive if that is later. Then the player falls behind, until it is reset.
type screen struct {
	// began is when the first picture is shown, whose time stamp is first; behind is how much later than by its time
	// stamp the last one was shown, at last.
	began, last time.Time
	first       uint32
	behind      time.Duration
	// frozen is the longest time between two pictures since the last reset.
	frozen time.Duration
}

// picture takes one that arrived.
func (s *screen) picture(arrived time.Time, stamp uint32) {
	if s.began.IsZero() {
		s.began, s.first = arrived.Add(playerDelay), stamp
		s.last = s.began
		return
	}
	// Time stamps begin again after 13 hours.
	due := s.began.Add(time.Duration(int32(stamp-s.first)) * time.Second / ticks)
	at := due.Add(s.behind)
	if arrived.After(at) {
		at, s.behind = arrived, arrived.Sub(due)
	}
	s.frozen = max(s.frozen, at.Sub(s.last))
	s.last = at
}

// reset forgets what was frozen: the player has caught up.
func (s *screen) reset() { s.behind, s.frozen = 0, 0 }
