package pool

import (
	"cmp"
	"time"

	"github.com/tuttinode/tutti/core"
)

const (
	// headStart is how far a session may be ahead of real time and still count as real time:
	// after an interruption a gateway sends what has piled up.
	headStart = 8 * time.Second
	// maxAhead bounds how long a session must pause to count as real time again.
	maxAhead = time.Minute
)

// aheadBy returns how far the session is ahead of real time, beyond headStart.
func (s *session) aheadBy(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(0, s.playsUntil.Sub(now.Add(headStart)))
}

// countPlay counts a segment's playing time from its arrival on. A fifth is not counted,
// because a source's clock may run fast.
func (s *session) countPlay(came time.Time, playing time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.playsUntil.Before(came) {
		s.playsUntil = came
	}
	s.playsUntil = s.playsUntil.Add(playing / 5 * 4)
	if most := came.Add(max(maxAhead, playing)); s.playsUntil.After(most) {
		s.playsUntil = most
	}
}

// countPlay counts a segment's playing time for its session once. If a further attempt
// shows a longer time, the difference is added.
func (a *segmentAttempts) countPlay(came time.Time, playing time.Duration) {
	if more := playing - a.countedPlay; more > 0 {
		a.s.countPlay(came, more)
		a.countedPlay = playing
	}
}

// plays returns how long a segment plays: by the media, or else by its gateway, which states
// two seconds when it does not know. A failed segment counts as its processing time at
// least.
func plays(job *core.TranscodeJob, res *core.TranscodeResult, wall time.Duration) time.Duration {
	if res == nil {
		return max(job.Duration, wall)
	}
	long := cmp.Or(res.SourceDuration, job.Duration)
	if second := core.EstimatePixels(job.Profiles, time.Second); second > 0 {
		var pixels float64
		for i := range res.Renditions {
			pixels += float64(res.Renditions[i].Pixels)
		}
		// A profile's frame rate is never more than what it is estimated by.
		seconds := min(pixels/float64(second), time.Hour.Seconds())
		long = max(long, time.Duration(seconds*float64(time.Second)))
	}
	return long
}
