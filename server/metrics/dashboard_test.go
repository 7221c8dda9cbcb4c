package metrics_test

import (
	"context"
	"math"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/metrics"
)

// dashboardClock is a time that the test moves.
type dashboardClock struct{ at time.Time }

func newDashboardClock() *dashboardClock { return &dashboardClock{time.Unix(1_700_000_000, 0)} }

func (c *dashboardClock) now() time.Time { return c.at }

// slowWorker takes a while for each segment.
type slowWorker struct {
	clock *dashboardClock
	takes time.Duration
	err   error
	ended []core.SessionID
}

func (w *slowWorker) Transcode(context.Context, *core.TranscodeJob) (*core.TranscodeResult, error) {
	w.clock.at = w.clock.at.Add(w.takes)
	if w.err != nil {
		return nil, w.err
	}
	return &core.TranscodeResult{Worker: "gpu 0", Renditions: []core.Rendition{{Pixels: 3_000_000},
		{Pixels: 1_000_000}}}, nil
}

func (w *slowWorker) EndSession(id core.SessionID) { w.ended = append(w.ended, id) }

func job(id core.SessionID) *core.TranscodeJob {
	return &core.TranscodeJob{Session: id, Manifest: "studio", Duration: 2 * time.Second, Sender: core.Address{19: 7},
		Profiles: []core.Profile{{Name: "P720p"}, {Name: "P360p"}}}
}

func TestSessions(t *testing.T) {
	t.Parallel()
	c := newDashboardClock()
	w := &slowWorker{clock: c, takes: time.Second}
	s := metrics.WatchSessions(w, c.now, metrics.NewDashboardSeries(c.now))
	for range 3 {
		if _, err := s.Transcode(t.Context(), job("a")); err != nil {
			t.Fatal(err)
		}
	}
	live := s.Live(10)
	if live.Total != 1 || live.Behind != 0 {
		t.Fatalf("%+v", live)
	}
	if got := live.List[0]; got.Stream != "studio" || got.Device != "gpu 0" || got.PixelsPerSecond != 2_000_000 ||
		got.Ratio != 0.5 || got.Segments != 3 ||
		got.Peer != (core.Address{19: 7}).String() || len(got.Renditions) != 2 {
		t.Errorf("%+v", got)
	}
	w.takes = 10 * time.Second
	if _, err := s.Transcode(t.Context(), job("a")); err != nil {
		t.Fatal(err)
	}
	if live = s.Live(10); live.Behind != 1 || !live.List[0].Behind {
		t.Errorf("%+v", live)
	}
	w.err = fault.New(fault.TranscodeTimeout, "transcode", "")
	if _, err := s.Transcode(t.Context(), job("b")); err == nil {
		t.Error("the error was lost")
	}
	if live = s.Live(10); live.Total != 2 || live.List[0].ID != "a" || live.List[1].LastCode != "TranscodeTimeout" {
		t.Errorf("%+v", live)
	}
	if live = s.Live(1); live.Total != 2 || len(live.List) != 1 {
		t.Errorf("%+v", live)
	}
	s.EndSession("a")
	s.EndSession("b")
	if live = s.Live(10); live.Total != 0 || len(w.ended) != 2 {
		t.Errorf("%+v %v", live, w.ended)
	}
}

// The slowest are kept, and those that fall behind always come first.
func TestBounded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ratios := rapid.SliceOf(rapid.Float64Range(0, 3)).Draw(t, "ratios")
		limit := rapid.IntRange(0, 20).Draw(t, "most")
		var all []adminapi.Session
		for i, r := range ratios {
			all = append(all, adminapi.Session{ID: strconv.Itoa(i), Ratio: r, Behind: r > 1})
		}
		got := metrics.BoundedSessions(all, limit)
		if got.Total != len(ratios) || len(got.List) != min(limit, len(ratios)) {
			t.Fatalf("%d of %d", len(got.List), got.Total)
		}
		for i, s := range got.List {
			if s.Behind != (i < got.Behind) {
				t.Fatalf("%d: %+v of %d behind", i, s, got.Behind)
			}
		}
	})
}

func TestSeries(t *testing.T) {
	t.Parallel()
	c := newDashboardClock()
	s := metrics.NewDashboardSeries(c.now)
	r, j := s.Recorder(core.NopRecorder{}), s.Inference(inference.NopRecorder{})
	r.Sessions(7, 10)
	for i := range 100 {
		r.SegmentTranscoded(&core.Transcoded{Manifest: "m", Duration: 2 * time.Second,
			Took: time.Duration(i+1) * 10 * time.Millisecond, Encoded: 5})
	}
	r.SegmentFailed("m", "x")
	r.SessionRefused("y")
	j.JobDone(&inference.JobStats{FirstByte: 200 * time.Millisecond, Queue: 50 * time.Millisecond})
	j.JobDone(&inference.JobStats{Code: "Z"})
	if got := s.Points(); len(got) != 0 {
		t.Errorf("a step that is not over is reported: %+v", got)
	}
	c.at = c.at.Add(3 * metrics.DashboardStep)
	got := s.Points()
	if len(got) != 3 {
		t.Fatalf("%d points", len(got))
	}
	p := got[0]
	if p.Segments != 100 || p.Failed != 1 || p.Refused != 1 || p.Sessions != 7 || p.Pixels != 500 || p.Jobs != 2 ||
		p.JobsFailed != 1 {
		t.Errorf("%+v", p)
	}
	for _, v := range [][2]float64{{p.SegmentMedian, 500}, {p.SegmentHigh, 950}, {p.Ratio * 1000, 475},
		{p.FirstMedian, 200}} {
		if math.Abs(v[0]-v[1]) > v[1]*0.13 {
			t.Errorf("%v, want about %v", v[0], v[1])
		}
	}
	if got[2].Sessions != 7 || got[2].Segments != 0 || got[1].At != p.At+5 {
		t.Errorf("%+v", got)
	}
	c.at = c.at.Add(time.Hour)
	r.Sessions(0, 10)
	c.at = c.at.Add(metrics.DashboardStep)
	if got = s.Points(); len(got) != metrics.DashboardSteps-1 || got[len(got)-1].Segments != 0 {
		t.Errorf("%d points after an hour", len(got))
	}
}

// Points are in order, without gaps, and bounded, whatever comes when.
func TestSeriesIsWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := newDashboardClock()
		s := metrics.NewDashboardSeries(c.now)
		r := s.Recorder(core.NopRecorder{})
		for _, wait := range rapid.SliceOf(rapid.IntRange(0, 400)).Draw(t, "waits") {
			r.SegmentTranscoded(&core.Transcoded{Manifest: "m", Duration: time.Second, Took: time.Second, Encoded: 1})
			c.at = c.at.Add(time.Duration(wait) * time.Second)
		}
		points := s.Points()
		if len(points) >= metrics.DashboardSteps {
			t.Fatalf("%d points", len(points))
		}
		for i := 1; i < len(points); i++ {
			if points[i].At != points[i-1].At+5 {
				t.Fatalf("%+v after %+v", points[i], points[i-1])
			}
		}
	})
}

// A remote worker is not notified when sessions end: the pool drops
// idle ones, and so does the dashboard.
func TestIdleSessionsAreForgotten(t *testing.T) {
	t.Parallel()
	c := newDashboardClock()
	s := metrics.WatchSessions(&slowWorker{clock: c, takes: time.Second}, c.now, nil)
	for _, id := range []core.SessionID{"a", "b"} {
		if _, err := s.Transcode(t.Context(), job(id)); err != nil {
			t.Fatal(err)
		}
		if live := s.Live(10); live.Total != 1 || live.List[0].ID != string(id) {
			t.Errorf("%+v", live)
		}
		c.at = c.at.Add(core.SessionIdle)
	}
	if live := s.Live(10); live.Total != 0 {
		t.Errorf("%+v", live)
	}
}
