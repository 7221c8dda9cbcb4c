package metrics

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
)

// newestWeight is the weight of the newest segment in a session's average ratio.
const newestWeight = 0.4

// DashboardSessions is a core.Transcoder that keeps statistics of the streams that pass through it.
// Callers end sessions with EndSession; sessions that are not ended are dropped when they
// are idle, as in the pool.
type DashboardSessions struct {
	core.Transcoder
	now    func() time.Time
	series *DashboardSeries

	mu   sync.Mutex
	live map[core.SessionID]*dashboardSession // guarded by mu, with what is in them
}

type dashboardSession struct {
	view       adminapi.Session
	inProgress int
	ended      bool
}

// WatchSessions wraps next. series may be nil.
func WatchSessions(next core.Transcoder, now func() time.Time, series *DashboardSeries) *DashboardSessions {
	return &DashboardSessions{Transcoder: next, now: now, series: series, live: make(map[core.SessionID]*dashboardSession)}
}

// Transcode passes the segment on and records the result.
func (w *DashboardSessions) Transcode(ctx context.Context, job *core.TranscodeJob) (*core.TranscodeResult, error) {
	begun := w.begin(job)
	w.series.countInProgress(1)
	out, err := w.Transcoder.Transcode(ctx, job)
	w.series.countInProgress(-1)
	w.done(job, begun, out, err)
	return out, err
}

// EndSession passes the call on and drops the session.
func (w *DashboardSessions) EndSession(id core.SessionID) {
	w.Transcoder.EndSession(id)
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.live[id]; s != nil {
		s.ended = true
		w.forgetLocked(id, s)
	}
}

// forgetLocked drops a session that has ended.
func (w *DashboardSessions) forgetLocked(id core.SessionID, s *dashboardSession) {
	if s.ended && s.inProgress == 0 {
		delete(w.live, id)
	}
}

// sweepLocked drops idle sessions.
func (w *DashboardSessions) sweepLocked(now time.Time) {
	for id, s := range w.live {
		if s.inProgress == 0 && now.Sub(s.view.Last) > core.SessionIdle {
			delete(w.live, id)
		}
	}
}

func (w *DashboardSessions) begin(job *core.TranscodeJob) time.Time {
	now := w.now()
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.live[job.Session]
	if s == nil {
		w.sweepLocked(now)
		s = &dashboardSession{view: adminapi.Session{ID: string(job.Session), Since: now.UTC()}}
		w.live[job.Session] = s
	}
	s.ended = false
	s.inProgress++
	s.view.Stream, s.view.Last = string(job.Manifest), now.UTC()
	if !job.Sender.IsZero() {
		s.view.Peer = job.Sender.String()
	}
	if len(s.view.Renditions) != len(job.Profiles) {
		s.view.Renditions = profileNames(job.Profiles)
	}
	return now
}

func profileNames(profiles []core.Profile) []string {
	out := make([]string, len(profiles))
	for i := range profiles {
		out[i] = profiles[i].Name
	}
	return out
}

func (w *DashboardSessions) done(job *core.TranscodeJob, begun time.Time, out *core.TranscodeResult, err error) {
	took := w.now().Sub(begun)
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.live[job.Session]
	if s == nil {
		return
	}
	s.inProgress--
	s.view.Segments++
	if err != nil {
		s.view.Failed++
		s.view.LastCode = string(fault.CodeOf(err))
	} else {
		s.recordPace(job.Duration, took, out)
	}
	w.forgetLocked(job.Session, s)
}

// recordPace records how fast a segment was transcoded.
func (s *dashboardSession) recordPace(duration, took time.Duration, out *core.TranscodeResult) {
	s.view.Device = out.Worker
	if duration <= 0 {
		duration = out.SourceDuration
	}
	if duration <= 0 {
		return
	}
	var pixels core.Pixels
	for i := range out.Renditions {
		pixels += out.Renditions[i].Pixels
	}
	s.view.PixelsPerSecond = int64(float64(pixels) / duration.Seconds())
	ratio := took.Seconds() / duration.Seconds()
	if s.view.Ratio > 0 {
		ratio = newestWeight*ratio + (1-newestWeight)*s.view.Ratio
	}
	s.view.Ratio = ratio
	s.view.Behind = ratio > 1
}

// Live returns the present sessions, the slowest first, at most limit of them.
func (w *DashboardSessions) Live(limit int) adminapi.Sessions {
	w.mu.Lock()
	w.sweepLocked(w.now())
	all := make([]adminapi.Session, 0, len(w.live))
	for _, s := range w.live {
		all = append(all, s.view)
	}
	w.mu.Unlock()
	return BoundedSessions(all, limit)
}

// BoundedSessions counts sessions and keeps the slowest, in an order that changes little.
func BoundedSessions(all []adminapi.Session, limit int) adminapi.Sessions {
	out := adminapi.Sessions{Total: len(all)}
	for i := range all {
		all[i].Ratio = rounded(all[i].Ratio, 100)
		if all[i].Behind {
			out.Behind++
		}
	}
	slices.SortFunc(all, func(a, b adminapi.Session) int {
		switch {
		case a.Behind != b.Behind:
			if a.Behind {
				return -1
			}
			return 1
		case len(all) > limit && a.Ratio != b.Ratio:
			return cmp.Compare(b.Ratio, a.Ratio)
		}
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID))
	})
	out.List = all[:min(len(all), limit)]
	return out
}
