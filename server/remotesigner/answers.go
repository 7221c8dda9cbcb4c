package remotesigner

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm/remotesigner"
	"github.com/tuttinode/tutti/server/status"
)

// orchestratorHeader names the orchestrator whose terms are to be requested again.
const orchestratorHeader = "Livepeer-Orchestrator-URL"

type errorText struct {
	Message string `json:"message"`
}

type errorAnswer struct {
	Error errorText `json:"error"`
}

func writeJSON(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v)
}

func writeError(w http.ResponseWriter, code int, text string) {
	writeJSON(w, code, errorAnswer{errorText{text}})
}

// refuse answers a request with a refusal, or with a fault.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error, orchestrator string) {
	if own, ok := errors.AsType[*remotesigner.Refusal](err); ok {
		if own.Status == remotesigner.StatusRefresh {
			w.Header().Set(orchestratorHeader, orchestrator)
		}
		writeError(w, own.Status, own.Text)
		return
	}
	if others, ok := s.failures.Allow(core.PeerName(r.RemoteAddr), s.opt.Now()); ok {
		s.opt.Log.Warn("payment not signed", "others", others, fault.Attr(err))
	}
	writeError(w, status.Job(err), fault.Wire(err))
}
