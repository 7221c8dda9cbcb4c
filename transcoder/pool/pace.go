package pool

import (
	"cmp"
	"time"

	"github.com/tuttinode/tutti/core"
)

const (
	// headStart is how far a session may be ahead of its media and still count as one that
	// keeps their pace: a gateway sends what it could not send for a while.
	headStart = 8 * time.Second
	// maxAhead bounds how long a session has to pause to be one again.
	maxAhead = time.Minute
)

// ahead is how far the session is ahead of what its media play by now, beyond headStart.
func (s *session) ahead(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(0, s.pace.Sub(now.Add(headStart)))
}

// sent counts a segment that came at a time and was worked on. A fifth of what it plays is
// not counted: a source's clock may be fast.
func (s *session) sent(came time.Time, playing time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pace.Before(came) {
		s.pace = came
	}
	s.pace = s.pace.Add(playing / 5 * 4)
	if most := came.Add(max(maxAhead, playing)); s.pace.After(most) {
		s.pace = most
	}
}

// paced counts a segment with its session, once: what another attempt shows counts as far as
// it is more.
func (c *course) paced(came time.Time, playing time.Duration) {
	if more := playing - c.played; more > 0 {
		c.s.sent(came, more)
		c.played = playing
	}
}

// plays is how long a segment plays: what the media show, or else what its gateway says,
// which says two seconds of all where it was not told. One that failed counts as what it
// took at least.
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
