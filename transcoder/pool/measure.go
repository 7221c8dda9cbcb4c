package pool

import (
	"time"

	"github.com/tuttinode/tutti/core"
)

// weight is how much a new segment counts in the smoothed figures.
const weight = 0.2

// recent is how long after its last segment a session counts as running.
const recent = 10 * time.Second

// measure takes what a segment took into the figures of its session and device.
//
// The cost of a device is its real-time ratio (wall time by playing time) per
// unit of the load that ran at the time. Segments that share a device slow each
// other down in proportion, so cost × load foretells the ratio under another
// load; where the device was not busy it foretells too much, and the next
// measurement corrects that.
func (p *Pool) measure(s *session, job *core.TranscodeJob, res *core.TranscodeResult, wall time.Duration) {
	playing := res.SourceDuration
	if playing <= 0 {
		playing = job.Duration
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s.dev.worked()
	s.wall = smoothTime(s.wall, wall)
	// Very short segments say more about overhead than about capacity.
	if playing < 200*time.Millisecond {
		return
	}
	s.measured = true
	ratio := float64(wall) / float64(playing)
	s.dev.ratio = smooth(s.dev.ratio, ratio)
	if running := p.running(s.dev); running > 0 {
		s.dev.cost = smooth(s.dev.cost, ratio/float64(running))
	}
}

// running is the load of the device's sessions that had a segment of late.
func (p *Pool) running(d *device) int64 {
	now := time.Now()
	var load int64
	for _, s := range p.sessions {
		if s.dev == d && (now.Sub(s.used) < recent || len(s.turn) > 0) {
			load += s.load
		}
	}
	return load
}

func smooth(old, new float64) float64 {
	if old == 0 {
		return new
	}
	return old + weight*(new-old)
}

func smoothTime(old, new time.Duration) time.Duration {
	return time.Duration(smooth(float64(old), float64(new)))
}
