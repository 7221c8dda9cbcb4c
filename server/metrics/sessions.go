package metrics

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// sessions are the series of sessions: as they were reported last or, if a source can be
// asked, as they are at the scrape. A limit that is measured changes without a session,
// and is there before the first.
type sessions struct {
	inUse, limit atomic.Int64
	source       atomic.Pointer[func() (inUse, limit int)]
}

func newSessions(reg prometheus.Registerer) *sessions {
	s := &sessions{}
	reg.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "livepeer_max_sessions_total",
			Help: "Limit of concurrent sessions."},
			func() float64 { _, limit := s.now(); return float64(limit) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "livepeer_current_sessions_total", Help: "Sessions in use."},
			func() float64 { inUse, _ := s.now(); return float64(inUse) }),
	)
	return s
}

func (s *sessions) now() (inUse, limit int) {
	if source := s.source.Load(); source != nil {
		return (*source)()
	}
	return int(s.inUse.Load()), int(s.limit.Load())
}

// Sessions shows the sessions in use and their limit.
func (r *Recorder) Sessions(inUse, limit int) {
	r.sessions.inUse.Store(int64(inUse))
	r.sessions.limit.Store(int64(limit))
}

// WatchSessions has a role's sessions and their limit looked up at every scrape.
func (m *Metrics) WatchSessions(nodeType string, source func() (inUse, limit int)) {
	m.Recorder(nodeType).sessions.source.Store(&source)
}
