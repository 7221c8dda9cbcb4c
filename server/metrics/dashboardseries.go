package metrics

import (
	"math"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/inference"
)

// DashboardStep is how long a point of the series lasts, DashboardSteps how many are kept.
const (
	DashboardStep  = 5 * time.Second
	DashboardSteps = 180
)

// DashboardSeries is the last DashboardStep × DashboardSteps of work. Its zero value is not ready: use
// NewDashboardSeries.
type DashboardSeries struct {
	now func() time.Time
	// begun is the number of the first step.
	begun int64

	mu    sync.Mutex
	slots [DashboardSteps]dashboardSlot // guarded by mu, at their number modulo DashboardSteps
	// sessions and inProgress are the present counts; guarded by mu.
	sessions, inProgress int64
}

// dashboardSlot is what happened in one step.
type dashboardSlot struct {
	number                    int64
	point                     adminapi.Point
	took, ratio, first, waits dashboardHistogram
}

// NewDashboardSeries makes an empty series.
func NewDashboardSeries(now func() time.Time) *DashboardSeries {
	s := &DashboardSeries{now: now}
	s.begun = s.number()
	return s
}

// number counts steps.
func (s *DashboardSeries) number() int64 { return s.now().UnixNano() / int64(DashboardStep) }

// currentLocked returns the slot of the present step.
func (s *DashboardSeries) currentLocked() *dashboardSlot {
	number := s.number()
	one := &s.slots[number%DashboardSteps]
	if one.number != number {
		*one = dashboardSlot{number: number, point: adminapi.Point{At: number * int64(DashboardStep/time.Second),
			Sessions: s.sessions,
			InHand:   s.inProgress}}
	}
	return one
}

// Points returns the completed steps, the oldest first. A step without events repeats the counts
// of the one before.
func (s *DashboardSeries) Points() []adminapi.Point {
	s.mu.Lock()
	defer s.mu.Unlock()
	current := s.number()
	out := make([]adminapi.Point, 0, DashboardSteps)
	var sessions, inHand int64
	for number := max(s.begun, current-DashboardSteps+1); number < current; number++ {
		one := &s.slots[number%DashboardSteps]
		if one.number != number {
			out = append(out, adminapi.Point{At: number * int64(DashboardStep/time.Second), Sessions: sessions, InHand: inHand})
			continue
		}
		out = append(out, one.toPoint())
		sessions, inHand = one.point.Sessions, one.point.InHand
	}
	return out
}

func (s *dashboardSlot) toPoint() adminapi.Point {
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
func (s *DashboardSeries) count(change func(*dashboardSlot)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s.currentLocked())
}

// Recorder wraps next and counts segments and sessions.
func (s *DashboardSeries) Recorder(next core.Recorder) core.Recorder {
	return dashboardRecorder{Recorder: next, s: s}
}

type dashboardRecorder struct {
	core.Recorder
	s *DashboardSeries
}

func (r dashboardRecorder) SegmentTranscoded(done *core.Transcoded) {
	r.Recorder.SegmentTranscoded(done)
	r.s.count(func(one *dashboardSlot) {
		one.point.Segments++
		one.point.Pixels += int64(done.Encoded)
		one.took.add(done.Took.Seconds())
		if done.Duration > 0 {
			one.ratio.add(done.Took.Seconds() / done.Duration.Seconds())
		}
	})
}

func (r dashboardRecorder) SegmentFailed(m core.ManifestID, code string) {
	r.Recorder.SegmentFailed(m, code)
	r.s.count(func(one *dashboardSlot) { one.point.Failed++ })
}

func (r dashboardRecorder) SessionRefused(code string) {
	r.Recorder.SessionRefused(code)
	r.s.count(func(one *dashboardSlot) { one.point.Refused++ })
}

func (r dashboardRecorder) Sessions(inUse, limit int) {
	r.Recorder.Sessions(inUse, limit)
	r.s.count(func(one *dashboardSlot) {
		r.s.sessions = int64(inUse)
		one.point.Sessions = max(one.point.Sessions, int64(inUse))
	})
}

// countInProgress counts a segment that begins (+1) or ends (-1).
func (s *DashboardSeries) countInProgress(n int64) {
	if s == nil {
		return
	}
	s.count(func(one *dashboardSlot) {
		s.inProgress += n
		one.point.InHand = max(one.point.InHand, s.inProgress)
	})
}

// Inference wraps next and counts jobs.
func (s *DashboardSeries) Inference(next inference.Recorder) inference.Recorder {
	return dashboardJobs{Recorder: next, s: s}
}

type dashboardJobs struct {
	inference.Recorder
	s *DashboardSeries
}

func (j dashboardJobs) JobDone(f *inference.JobStats) {
	j.Recorder.JobDone(f)
	j.s.count(func(one *dashboardSlot) {
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
