package remotesigner

import (
	"encoding/json"
	"errors"
	"net/http"

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

// refuse answers with a refusal, or with a fault.
func (s *Server) refuse(w http.ResponseWriter, err error, orchestrator string) {
	if r, ok := errors.AsType[*remotesigner.Refusal](err); ok {
		if r.Status == remotesigner.StatusRefresh {
			w.Header().Set(orchestratorHeader, orchestrator)
		}
		writeError(w, r.Status, r.Text)
		return
	}
	s.opt.Log.Warn("payment not signed", fault.Attr(err))
	writeError(w, status.Job(err), fault.Wire(err))
}
