package dashboard

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

// Sessions is a core.Transcoder that keeps statistics of the streams that pass through it.
// Callers end sessions with EndSession; sessions that are not ended are dropped when they
// are idle, as in the pool.
type Sessions struct {
	core.Transcoder
	now    func() time.Time
	series *Series

	mu   sync.Mutex
	live map[core.SessionID]*session // guarded by mu, with what is in them
}

type session struct {
	view       adminapi.Session
	inProgress int
	ended      bool
}

// Watch wraps next. series may be nil.
func Watch(next core.Transcoder, now func() time.Time, series *Series) *Sessions {
	return &Sessions{Transcoder: next, now: now, series: series, live: make(map[core.SessionID]*session)}
}

// Transcode passes the segment on and records the result.
func (w *Sessions) Transcode(ctx context.Context, job *core.TranscodeJob) (*core.TranscodeResult, error) {
	begun := w.begin(job)
	w.series.countInProgress(1)
	out, err := w.Transcoder.Transcode(ctx, job)
	w.series.countInProgress(-1)
	w.done(job, begun, out, err)
	return out, err
}

// EndSession passes the call on and drops the session.
func (w *Sessions) EndSession(id core.SessionID) {
	w.Transcoder.EndSession(id)
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.live[id]; s != nil {
		s.ended = true
		w.forgetLocked(id, s)
	}
}

// forgetLocked drops a session that has ended.
func (w *Sessions) forgetLocked(id core.SessionID, s *session) {
	if s.ended && s.inProgress == 0 {
		delete(w.live, id)
	}
}

// sweepLocked drops idle sessions.
func (w *Sessions) sweepLocked(now time.Time) {
	for id, s := range w.live {
		if s.inProgress == 0 && now.Sub(s.view.Last) > core.SessionIdle {
			delete(w.live, id)
		}
	}
}

func (w *Sessions) begin(job *core.TranscodeJob) time.Time {
	now := w.now()
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.live[job.Session]
	if s == nil {
		w.sweepLocked(now)
		s = &session{view: adminapi.Session{ID: string(job.Session), Since: now.UTC()}}
		w.live[job.Session] = s
	}
	s.ended = false
	s.inProgress++
	s.view.Stream, s.view.Last = string(job.Manifest), now.UTC()
	if !job.Sender.IsZero() {
		s.view.Peer = job.Sender.String()
	}
	if len(s.view.Renditions) != len(job.Profiles) {
		s.view.Renditions = names(job.Profiles)
	}
	return now
}

func names(profiles []core.Profile) []string {
	out := make([]string, len(profiles))
	for i := range profiles {
		out[i] = profiles[i].Name
	}
	return out
}

func (w *Sessions) done(job *core.TranscodeJob, begun time.Time, out *core.TranscodeResult, err error) {
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
func (s *session) recordPace(duration, took time.Duration, out *core.TranscodeResult) {
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
func (w *Sessions) Live(limit int) adminapi.Sessions {
	w.mu.Lock()
	w.sweepLocked(w.now())
	all := make([]adminapi.Session, 0, len(w.live))
	for _, s := range w.live {
		all = append(all, s.view)
	}
	w.mu.Unlock()
	return Bounded(all, limit)
}

// Bounded counts sessions and keeps the slowest, in an order that changes little.
func Bounded(all []adminapi.Session, limit int) adminapi.Sessions {
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
