package pool

import (
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

// plays is how long a segment plays: what its gateway says, or more where the media show
// it. One that failed counts as what it took at least.
func plays(job *core.TranscodeJob, res *core.TranscodeResult, wall time.Duration) time.Duration {
	if res == nil {
		return max(job.Duration, wall)
	}
	long := max(job.Duration, res.SourceDuration)
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
