package pool

import (
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/transcoder/pool/incidents"
)

// weight is how much a new segment counts in the smoothed figures.
const weight = 0.2

// heaviest bounds how much dearer, or cheaper, than others of its load a session is
// taken to be; within likely of one it is taken to be as they are.
const (
	heaviest = 4
	likely   = 1.25
)

// figures are what a device was measured at. They are under its mu.
type figures struct {
	// cost is the real-time ratio per unit of load, smoothed; 0 before the first
	// measurement.
	cost float64
	// ratio is the real-time ratio of the segments of late, smoothed: below 1 a
	// segment takes less time than it plays.
	ratio float64
	// own is the sum of what its known sessions take per unit of their own load.
	own float64
	// slow is since when the device has been slower than real time, zero when it is not;
	// nextMove is when the next session may leave it for that.
	slow, nextMove time.Time
}

// took is how long a segment was in work, and with the time that it waited for its device:
// a device is as slow as its sessions find it.
type took struct{ work, all time.Duration }

// measure takes what a segment took into the figures of its session and device.
//
// The cost of a device is its real-time ratio (wall time by playing time) per
// unit of the load that ran at the time. Segments that share a device slow each
// other down in proportion, so cost × load foretells the ratio under another
// load; where the device was not busy it foretells too much, and the next
// measurement corrects that.
//
// What a session takes per unit of its own load, compared with its neighbours, is its
// weight: a source that is hard to decode makes a session dearer than its renditions
// tell. It goes with the session, since it says nothing of the device.
func (p *Pool) measure(s *session, d *device, job *core.TranscodeJob, res *core.TranscodeResult, t took) {
	playing := res.SourceDuration
	if playing <= 0 {
		playing = job.Duration
	}
	s.mu.Lock()
	d.mu.Lock()
	released := d.quarantine != nil
	open := d.evidence.done(s.id, t.all <= playing, time.Now())
	d.worked()
	d.tally.Done()
	s.wall = smoothTime(s.wall, t.work)
	s.acquit()
	// Very short segments say more about overhead than about capacity.
	if playing >= 200*time.Millisecond && s.dev == d {
		d.learnFrom(p, s, float64(t.all)/float64(playing), time.Now())
	}
	now := d.rank(&p.rules, time.Now())
	moved := released || now.moved(&d.shown)
	d.mu.Unlock()
	s.mu.Unlock()
	for _, w := range open {
		p.incidents.Failed(w, time.Now())
	}
	p.incidents.Done(incidents.Of(job), time.Now())
	if moved {
		p.table.touch(d)
	}
	if released {
		p.look(d)
	}
}

// late takes a segment that was not done in its time into the figures, so that a device that
// is too slow for what it has gets no more. Only sessions of which segments were done
// count: what else takes long may be the segment's own doing.
func (p *Pool) late(s *session, d *device, job *core.TranscodeJob, wall time.Duration) {
	playing := job.Duration
	if playing < 200*time.Millisecond || s.good() == 0 {
		return
	}
	s.mu.Lock()
	d.mu.Lock()
	if s.dev == d {
		d.learnFrom(p, s, float64(wall)/float64(playing), time.Now())
	}
	now := d.rank(&p.rules, time.Now())
	moved := now.moved(&d.shown)
	d.mu.Unlock()
	s.mu.Unlock()
	if moved {
		p.table.touch(d)
	}
}

// learnFrom takes a segment's real-time ratio in. The caller holds the device's and
// the session's mu.
func (d *device) learnFrom(p *Pool, s *session, ratio float64, now time.Time) {
	d.ratio = smooth(d.ratio, ratio)
	if running := d.recent.load; running > 0 {
		d.cost = smooth(d.cost, ratio/float64(running))
	}
	if !s.ended {
		d.compare(s, ratio/float64(max(1, s.load)))
		p.rebook(s, s.load, s.renditions)
	}
	switch {
	case d.ratio <= 0.9:
		d.slow = time.Time{}
	case d.ratio > 1 && d.slow.IsZero():
		d.slow = now
	}
}

// compare takes in what a session took per unit of its own load, and makes its weight
// of that. The caller holds the device's and the session's mu.
func (d *device) compare(s *session, own float64) {
	if !s.measured {
		s.measured, s.own = true, 0
		d.known++
	}
	before := s.own
	s.own = smooth(s.own, own)
	d.own += s.own - before
	mean := d.own / float64(d.known)
	if mean <= 0 {
		return
	}
	s.weight = min(heaviest, max(1.0/heaviest, s.own/mean))
	if s.weight < likely && s.weight > 1/likely {
		s.weight = 1
	}
}

// leave takes a session's part out of the figures. The caller holds the device's and
// the session's mu.
func (d *device) leave(s *session) {
	if !s.measured {
		return
	}
	s.measured = false
	d.own -= s.own
	if d.known--; d.known == 0 {
		d.own = 0
	}
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
