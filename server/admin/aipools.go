package admin

import (
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core/airouting"
)

// sessionPools is one model's entry in the answer of /getAISessionPoolsInfo, with
// the existing node's keys.
type sessionPools struct {
	Warm        sessionPool       `json:"warm"`
	Cold        sessionPool       `json:"cold"`
	LastRefresh time.Time         `json:"last_refresh"`
	Suspended   suspendedSessions `json:"suspended"`
}

type sessionPool struct {
	Size int `json:"size"`
	// InUse counts the orchestrators that have jobs.
	InUse         int           `json:"in_use"`
	Orchestrators []poolSession `json:"orchestrators"`
}

type poolSession struct {
	URL string `json:"url"`
	// LatencyScore is the mean time to the first byte in seconds; lower is better, 0
	// is not known.
	LatencyScore float64 `json:"latency_score"`
	InFlight     int     `json:"in_flight"`
}

type suspendedSessions struct {
	List         []string `json:"list"`
	CurrentCount int      `json:"current_count"`
}

func (p *sessionPool) add(s *airouting.Status) {
	p.Size++
	if s.InFlight > 0 {
		p.InUse++
	}
	p.Orchestrators = append(p.Orchestrators, poolSession{URL: s.Offer.URI, LatencyScore: s.FirstByte.Seconds(),
		InFlight: s.InFlight})
}

// poolsOf returns one model's entry.
func poolsOf(m *airouting.Snapshot) sessionPools {
	out := sessionPools{
		Warm: sessionPool{Orchestrators: []poolSession{}}, Cold: sessionPool{Orchestrators: []poolSession{}},
		LastRefresh: m.Refreshed, Suspended: suspendedSessions{List: []string{}},
	}
	for i := range m.Statuses {
		s := &m.Statuses[i]
		switch {
		case !s.Resting.IsZero():
			out.Suspended.List = append(out.Suspended.List, s.Offer.URI)
			out.Suspended.CurrentCount++
		case s.Offer.Warm:
			out.Warm.add(s)
		default:
			out.Cold.add(s)
		}
	}
	return out
}

// aiPools answers with the orchestrators of every recently requested model, by
// "<capability>_<model>".
func (s *Server) aiPools(w http.ResponseWriter, _ *http.Request) error {
	if s.opts.Work.AIPools == nil {
		return absent("pools of orchestrators for AI")
	}
	out := map[string]sessionPools{}
	for _, m := range s.opts.Work.AIPools() {
		out[string(m.Model.Manifest())] = poolsOf(&m)
	}
	writeJSON(w, out)
	return nil
}
