package orchestrator

import (
	"net/http"

	"github.com/tuttinode/tutti/core/fault"
)

// statusOf is the status that the protocol gives a condition of a request.
func statusOf(err error) int {
	code := fault.CodeOf(err)
	switch code {
	case fault.PaymentEncoding, fault.PaymentMessage:
		return http.StatusPaymentRequired
	case fault.OrchestratorCapped, fault.Draining:
		return http.StatusForbidden
	case fault.InputFetchFailed:
		return http.StatusBadRequest
	case fault.UploadsFull:
		return http.StatusServiceUnavailable
	case fault.SegmentUnreadable:
		return http.StatusInternalServerError
	}
	switch code.Class() {
	case fault.Payment, fault.BadRequest:
		return http.StatusBadRequest
	case fault.Forbidden, fault.Unauthenticated:
		return http.StatusForbidden
	case fault.NotFound:
		return http.StatusNotFound
	case fault.Busy, fault.Upstream:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// refuse answers with the protocol's text for err.
func (s *Server) refuse(w http.ResponseWriter, err error) {
	status := statusOf(err)
	if status == http.StatusInternalServerError && fault.ClassOf(err) == fault.Internal {
		s.opt.Log.Error("request failed", fault.Attr(err))
	} else {
		s.opt.Log.Debug("request refused", fault.Attr(err))
	}
	http.Error(w, fault.Wire(err), status)
}
