package remotesigner

import (
	"context"
	"encoding/json"
	"net/http"
)

// ListPath lists every orchestrator that a gateway may use, also those that only transcode.
const ListPath = "/discover-orchestrators?caps=" + anyCapability

// Discoverer lists orchestrators for callers.
type Discoverer interface {
	// Orchestrators returns those that can do any of some capabilities; all without. ready is false until they were
	// asked once.
	Orchestrators(ctx context.Context, capabilities []string) (list []Listed, ready bool)
}

// Listed is one orchestrator as callers see it.
type Listed struct {
	Address      string            `json:"address"`
	Score        float64           `json:"score"`
	Capabilities []string          `json:"capabilities"`
	Runners      []json.RawMessage `json:"runners,omitempty"`
}

// discoverOrchestrators answers with the orchestrators that callers may use.
func (s *Server) discoverOrchestrators(w http.ResponseWriter, r *http.Request) {
	list, ready := s.opt.Discover.Orchestrators(r.Context(), r.URL.Query()["caps"])
	if !ready {
		writeError(w, http.StatusServiceUnavailable, "cache empty")
		return
	}
	if list == nil {
		list = []Listed{}
	}
	writeJSON(w, http.StatusOK, list)
}
