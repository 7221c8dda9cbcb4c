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
	// places is how much of a place's time sessions take per second that they play,
	// smoothed, wholes the same of the whole device's time, where the segments in work at
	// once share it evenly, and loads what these sessions have of load. While few are in
	// work at once the device looks more expensive by wholes than it is, and may look
	// cheaper by places. All are 0 before the first measurement.
	places, wholes, loads float64
	// behind is when a segment last was refused because it would have come too late.
	behind time.Time
	// own is the sum of what its known sessions take, ownLoad that of their loads.
	own, ownLoad float64
	// slow is since when the device has been slower than real time, zero when it is not;
	// nextMove is when the next session may leave it for that.
	slow, nextMove time.Time
}

// took is how long a segment was in work, and with the time that it waited for its device:
// a device is as slow as its sessions find it. inWork is how many segments were in work
// meanwhile, with itself.
type took struct {
	work, all time.Duration
	inWork    float64
}

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
		d.occupied(s, playing, float64(t.work)/float64(playing), t.inWork)
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
	// Its gateway says how long it plays, and may say little.
	playing := max(job.Duration, usualPlaying)
	if !tells(s, job) {
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

// usualPlaying is how long a segment of a live stream plays as a rule.
const usualPlaying = 2 * time.Second

// occupied takes in how much of a place's time a segment took per second that it plays,
// while so many were in work. Time and load are smoothed apart from each other, and short
// segments count less: a stream of little load, whose source takes most of its time, must
// not make the load of all others look as expensive. The caller holds the device's and the
// session's mu.
func (d *device) occupied(s *session, playing time.Duration, ratio, inWork float64) {
	w := weight * min(1, float64(playing)/float64(usualPlaying))
	d.places = smoothBy(w, d.places, ratio)
	d.wholes = smoothBy(w, d.wholes, ratio/max(1, inWork))
	d.loads = smoothBy(w, d.loads, float64(s.load))
}

// tells reports whether a segment that was not done says something of its device.
func tells(s *session, job *core.TranscodeJob) bool {
	return job.Duration >= 200*time.Millisecond && s.good() > 0
}

// noTime takes in that a device had no time for a segment: it gets no more sessions for a
// while.
func (p *Pool) noTime(s *session, d *device, job *core.TranscodeJob) {
	if !tells(s, job) {
		return
	}
	now := time.Now()
	d.mu.Lock()
	soon := now.Sub(d.behind) < time.Second // the pool is going to look again
	if !soon {
		d.behind = now
	}
	d.mu.Unlock()
	p.late(s, d, job, core.WorkDeadline(job.Duration))
	if !soon {
		p.table.touch(d)
		time.AfterFunc(lately, func() { p.table.touch(d) })
	}
}

// learnFrom takes a segment's real-time ratio in. The caller holds the device's and
// the session's mu.
func (d *device) learnFrom(p *Pool, s *session, ratio float64, now time.Time) {
	d.ratio = smooth(d.ratio, ratio)
	if running := d.recent.load; running > 0 {
		d.cost = smooth(d.cost, d.plausible(ratio/float64(running), 1))
	}
	if !s.ended {
		d.compare(s, ratio/float64(s.load))
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
	if s.measured {
		d.count(s, -1)
	} else {
		s.measured, s.own = true, 0
		d.known++
	}
	d.uses(s)
	s.own, s.ownLoad = smooth(s.own, own), float64(s.load)
	d.count(s, 1)
	mean := d.own / d.ownLoad
	if mean <= 0 {
		return
	}
	s.weight = min(heaviest, max(1.0/heaviest, s.own/mean))
	if s.weight < likely && s.weight > 1/likely {
		s.weight = 1
	}
}

// count adds what a session takes to the sums of its device, or takes it out. The caller
// holds the device's and the session's mu.
func (d *device) count(s *session, sign float64) {
	d.own += sign * s.own * s.ownLoad
	d.ownLoad += sign * s.ownLoad
}

// leave takes a session's part out of the figures. The caller holds the device's and
// the session's mu.
func (d *device) leave(s *session) {
	if !s.measured {
		return
	}
	s.measured = false
	d.count(s, -1)
	if d.known--; d.known == 0 {
		d.own, d.ownLoad = 0, 0
	}
}

func smooth(old, new float64) float64 { return smoothBy(weight, old, new) }

func smoothBy(weight, old, new float64) float64 {
	if old == 0 {
		return new
	}
	return old + weight*(new-old)
}

func smoothTime(old, new time.Duration) time.Duration {
	return time.Duration(smooth(float64(old), float64(new)))
}
