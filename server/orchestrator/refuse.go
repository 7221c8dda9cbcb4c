package orchestrator

import (
	"net/http"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/status"
)

// refuse answers with the protocol's text for err, and its code for our own
// gateways.
func (s *Server) refuse(w http.ResponseWriter, err error) {
	s.logRefusal(err)
	w.Header().Set(rpc.CodeHeader, string(fault.CodeOf(err)))
	http.Error(w, fault.Wire(err), status.Protocol(err))
}

// logRefusal logs a failed request: our own defects as errors.
func (s *Server) logRefusal(err error) {
	if fault.ClassOf(err) == fault.Internal {
		s.opt.Log.Error("request failed", fault.Attr(err))
		return
	}
	s.opt.Log.Debug("request refused", fault.Attr(err))
}
