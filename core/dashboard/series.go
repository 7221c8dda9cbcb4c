package dashboard

import (
	"math"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/inference"
)

// Step is how long a point of the series lasts, Steps how many are kept.
const (
	Step  = 5 * time.Second
	Steps = 180
)

// Series is the last Step × Steps of work. Its zero value is not ready: use NewSeries.
type Series struct {
	now func() time.Time
	// begun is the number of the first step.
	begun int64

	mu    sync.Mutex
	slots [Steps]slot // guarded by mu, at their number modulo Steps
	// sessions and inProgress are the present counts; guarded by mu.
	sessions, inProgress int64
}

// slot is what happened in one step.
type slot struct {
	number                    int64
	point                     adminapi.Point
	took, ratio, first, waits histogram
}

// NewSeries makes an empty series.
func NewSeries(now func() time.Time) *Series {
	s := &Series{now: now}
	s.begun = s.number()
	return s
}

// number counts steps.
func (s *Series) number() int64 { return s.now().UnixNano() / int64(Step) }

// currentLocked returns the slot of the present step.
func (s *Series) currentLocked() *slot {
	number := s.number()
	one := &s.slots[number%Steps]
	if one.number != number {
		*one = slot{number: number, point: adminapi.Point{At: number * int64(Step/time.Second), Sessions: s.sessions,
			InHand: s.inProgress}}
	}
	return one
}

// Points returns the completed steps, the oldest first. A step without events repeats the counts
// of the one before.
func (s *Series) Points() []adminapi.Point {
	s.mu.Lock()
	defer s.mu.Unlock()
	current := s.number()
	out := make([]adminapi.Point, 0, Steps)
	var sessions, inHand int64
	for number := max(s.begun, current-Steps+1); number < current; number++ {
		one := &s.slots[number%Steps]
		if one.number != number {
			out = append(out, adminapi.Point{At: number * int64(Step/time.Second), Sessions: sessions, InHand: inHand})
			continue
		}
		out = append(out, one.toPoint())
		sessions, inHand = one.point.Sessions, one.point.InHand
	}
	return out
}

func (s *slot) toPoint() adminapi.Point {
	p := s.point
	p.SegmentMedian, p.SegmentHigh = millis(s.took.percentile(0.5)), millis(s.took.percentile(0.95))
	p.Ratio = rounded(s.ratio.percentile(0.95), 1000)
	p.FirstMedian, p.FirstHigh = millis(s.first.percentile(0.5)), millis(s.first.percentile(0.95))
	p.WaitHigh = millis(s.waits.percentile(0.95))
	return p
}

func millis(seconds float64) float64 { return rounded(seconds*1000, 10) }

func rounded(v, places float64) float64 { return math.Round(v*places) / places }

// count changes the slot of the present step.
func (s *Series) count(change func(*slot)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s.currentLocked())
}

// Recorder wraps next and counts segments and sessions.
func (s *Series) Recorder(next core.Recorder) core.Recorder { return recorder{Recorder: next, s: s} }

type recorder struct {
	core.Recorder
	s *Series
}

func (r recorder) SegmentTranscoded(done *core.Transcoded) {
	r.Recorder.SegmentTranscoded(done)
	r.s.count(func(one *slot) {
		one.point.Segments++
		one.point.Pixels += int64(done.Encoded)
		one.took.add(done.Took.Seconds())
		if done.Duration > 0 {
			one.ratio.add(done.Took.Seconds() / done.Duration.Seconds())
		}
	})
}

func (r recorder) SegmentFailed(m core.ManifestID, code string) {
	r.Recorder.SegmentFailed(m, code)
	r.s.count(func(one *slot) { one.point.Failed++ })
}

func (r recorder) SessionRefused(code string) {
	r.Recorder.SessionRefused(code)
	r.s.count(func(one *slot) { one.point.Refused++ })
}

func (r recorder) Sessions(inUse, limit int) {
	r.Recorder.Sessions(inUse, limit)
	r.s.count(func(one *slot) {
		r.s.sessions = int64(inUse)
		one.point.Sessions = max(one.point.Sessions, int64(inUse))
	})
}

// countInProgress counts a segment that begins (+1) or ends (-1).
func (s *Series) countInProgress(n int64) {
	if s == nil {
		return
	}
	s.count(func(one *slot) {
		s.inProgress += n
		one.point.InHand = max(one.point.InHand, s.inProgress)
	})
}

// Inference wraps next and counts jobs.
func (s *Series) Inference(next inference.Recorder) inference.Recorder {
	return jobs{Recorder: next, s: s}
}

type jobs struct {
	inference.Recorder
	s *Series
}

func (j jobs) JobDone(f *inference.JobStats) {
	j.Recorder.JobDone(f)
	j.s.count(func(one *slot) {
		one.point.Jobs++
		if f.Code != "" {
			one.point.JobsFailed++
		}
		if f.FirstByte > 0 {
			one.first.add(f.FirstByte.Seconds())
		}
		one.waits.add(f.Queue.Seconds())
	})
}
