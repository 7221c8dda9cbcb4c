package pool

import (
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/transcoder/pool/incidents"
)

// smoothing is the weight of a new segment in the smoothed measurements.
const smoothing = 0.2

// maxWeight bounds a session's weight in both directions. Within weightTolerance of 1 the
// weight is 1.
const (
	maxWeight       = 4
	weightTolerance = 1.25
)

// measurements are a device's measured performance. They are guarded by its mu.
type measurements struct {
	// cost is the real-time ratio per unit of load, smoothed; 0 before the first
	// measurement.
	cost float64
	// ratio is the smoothed real-time ratio of recent segments: below 1 a segment takes
	// less time than it plays.
	ratio float64
	// behindAt is when a segment was last refused because it would have missed its deadline.
	behindAt time.Time
	// measuredCostSum is the sum of what the measured sessions take, measuredLoadSum that of
	// their loads.
	measuredCostSum, measuredLoadSum float64
	// slowSince is since when the device has been slower than real time, zero when it is
	// not; nextMove is when the next session may leave it for that.
	slowSince, nextMove time.Time
}

// segmentTime is how long a segment was in progress (work), and that time with its wait in
// the queue (all), which is what sessions notice. inWork is the average number of segments
// in progress meanwhile, this one included.
type segmentTime struct {
	work, all time.Duration
	inWork    float64
}

// measure adds a segment's time to the measurements of its session and device.
//
// A device's cost is its real-time ratio (wall time by playing time) per unit of the load
// at the time. Concurrent segments slow each other down in proportion, so cost × load
// predicts the ratio under another load. For an idle device the prediction is too high,
// and the next measurement corrects it.
//
// A session's weight is its cost per unit of its own load, relative to the device's other
// sessions: a source that is hard to decode costs more than its renditions show. The weight
// moves with the session, since it says nothing about the device.
func (p *Pool) measure(s *session, d *poolDevice, job *core.TranscodeJob, res *core.TranscodeResult, t segmentTime) {
	playing := res.SourceDuration
	if playing <= 0 {
		playing = job.Duration
	}
	s.mu.Lock()
	d.mu.Lock()
	at := time.Now()
	released := d.quarantine != nil
	open := d.evidence.recordDone(s.id, t.all <= playing, at)
	d.worked()
	d.tally.Done()
	s.typicalTime = smoothTime(s.typicalTime, t.work)
	s.recordGoodLocked()
	d.recent.occupy(s, playing, t.work, t.inWork, at)
	// Very short segments measure overhead, not capacity.
	if playing >= 200*time.Millisecond && s.dev == d {
		d.addRatioLocked(p, s, float64(t.all)/float64(playing), at)
	}
	now := d.rankLocked(&p.rules, at)
	moved := released || now.differs(&d.treeRank)
	d.mu.Unlock()
	s.mu.Unlock()
	for _, w := range open {
		p.incidents.Blame(w, time.Now())
	}
	p.incidents.Succeeded(incidents.SegmentOf(job), time.Now())
	if d.verdicts.worked(at) {
		p.o.Unreliable(d.name(), "")
	}
	if moved {
		p.table.markStale(d)
	}
	if released {
		p.refresh(d)
	}
}

// recordLate adds a segment that missed its deadline to the measurements, so that a device
// that is too slow gets no more sessions. Only sessions with good segments count: otherwise
// the segment itself may be the cause.
func (p *Pool) recordLate(s *session, d *poolDevice, job *core.TranscodeJob, wall time.Duration) {
	// The gateway announces the duration, and may announce too little.
	playing := max(job.Duration, usualPlaying)
	if !isMeaningful(s, job) {
		return
	}
	s.mu.Lock()
	d.mu.Lock()
	if s.dev == d {
		d.addRatioLocked(p, s, float64(wall)/float64(playing), time.Now())
	}
	now := d.rankLocked(&p.rules, time.Now())
	moved := now.differs(&d.treeRank)
	d.mu.Unlock()
	s.mu.Unlock()
	if moved {
		p.table.markStale(d)
	}
}

// recordUnused counts a segment without a result as one that took nothing: streams that fail, or
// come too late, must not make a device look full.
func (p *Pool) recordUnused(s *session, d *poolDevice, job *core.TranscodeJob) {
	d.mu.Lock()
	d.recent.occupy(s, job.Duration, 0, 1, time.Now())
	d.mu.Unlock()
	p.table.markStale(d)
}

// isMeaningful reports whether a failed segment says something about its device.
func isMeaningful(s *session, job *core.TranscodeJob) bool {
	return job.Duration >= 200*time.Millisecond && s.goodSegments() > 0
}

// recordBehind records that a device had no time for a segment: it gets no more sessions
// for a while.
func (p *Pool) recordBehind(s *session, d *poolDevice, job *core.TranscodeJob) {
	if !isMeaningful(s, job) {
		return
	}
	now := time.Now()
	d.mu.Lock()
	soon := now.Sub(d.behindAt) < time.Second // a refresh is scheduled already
	if !soon {
		d.behindAt = now
	}
	d.mu.Unlock()
	p.recordLate(s, d, job, core.WorkDeadline(job.Duration))
	if !soon {
		p.table.markStale(d)
		time.AfterFunc(recentPeriod, func() { p.table.markStale(d) })
	}
}

// addRatioLocked adds a segment's real-time ratio. The caller holds the session's mu, too.
func (d *poolDevice) addRatioLocked(p *Pool, s *session, ratio float64, now time.Time) {
	d.ratio = smooth(d.ratio, ratio)
	if running := d.recent.load; running > 0 {
		d.cost = smooth(d.cost, d.plausibleCostLocked(ratio/float64(running), 1))
	}
	if !s.ended {
		d.updateWeightLocked(s, ratio/float64(s.load))
		p.rebookLocked(s, s.load, s.renditions)
	}
	switch {
	case d.ratio <= 0.9:
		d.slowSince = time.Time{}
	case d.ratio > 1 && d.slowSince.IsZero():
		d.slowSince = now
	}
}

// updateWeightLocked adds a session's cost per unit of its own load, and updates its
// weight. The caller holds the session's mu, too.
func (d *poolDevice) updateWeightLocked(s *session, own float64) {
	if s.measured {
		d.addMeasuredLocked(s, -1)
	} else {
		s.measured, s.measuredCost = true, 0
		d.measuredSessions++
	}
	d.recordUseLocked(s)
	s.measuredCost, s.measuredLoad = smooth(s.measuredCost, own), float64(s.load)
	d.addMeasuredLocked(s, 1)
	mean := d.measuredCostSum / d.measuredLoadSum
	if mean <= 0 {
		return
	}
	s.weight = min(maxWeight, max(1.0/maxWeight, s.measuredCost/mean))
	if s.weight < weightTolerance && s.weight > 1/weightTolerance {
		s.weight = 1
	}
}

// addMeasuredLocked adds what a session takes to the sums of its device, or removes it with
// sign -1. The caller holds the session's mu, too.
func (d *poolDevice) addMeasuredLocked(s *session, sign float64) {
	d.measuredCostSum += sign * s.measuredCost * s.measuredLoad
	d.measuredLoadSum += sign * s.measuredLoad
}

// removeMeasuredLocked removes a session from the measurements. The caller holds the
// session's mu, too.
func (d *poolDevice) removeMeasuredLocked(s *session) {
	if !s.measured {
		return
	}
	s.measured = false
	d.addMeasuredLocked(s, -1)
	if d.measuredSessions--; d.measuredSessions == 0 {
		d.measuredCostSum, d.measuredLoadSum = 0, 0
	}
}

func smooth(old, new float64) float64 { return smoothBy(smoothing, old, new) }

func smoothBy(weight, old, new float64) float64 {
	if old == 0 {
		return new
	}
	return old + weight*(new-old)
}

func smoothTime(old, new time.Duration) time.Duration {
	return time.Duration(smooth(float64(old), float64(new)))
}
