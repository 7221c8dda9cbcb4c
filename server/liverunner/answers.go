package liverunner

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/liverunner"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/status"
)

// maxBody bounds the JSON of runners and the operator, in bytes.
const maxBody = 1 << 20

// maxUnknownBody bounds the body of a heartbeat that shows no secret: its answer is an error, by what is wrong.
const maxUnknownBody = 16 << 10

// writeJSON sends a value without a newline, as the network's nodes do.
func writeJSON(w http.ResponseWriter, v any) { writeStatus(w, http.StatusOK, v) }

// writeStatus is writeJSON with a status.
func writeStatus(w http.ResponseWriter, code int, v any) { writeEnded(w, code, v, "") }

// writeEnded is writeStatus with what follows the JSON.
func writeEnded(w http.ResponseWriter, code int, v any, end string) {
	data, err := json.Marshal(v)
	if err != nil {
		http.Error(w, "cannot encode the answer", http.StatusInternalServerError)
		return
	}
	data = append(data, end...)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(data)
}

// answer is a status and a text in the network's words.
type answer struct {
	status int
	text   string
}

func (a *answer) Error() string { return a.text }

// Refusals of payments. Read-only.
var (
	errOtherToken   = &answer{http.StatusForbidden, "mismatched manifest and auth token"}
	errOtherSession = &answer{http.StatusForbidden, "mismatched session and payment manifest"}
	errOtherPrice   = &answer{http.StatusBadRequest, "payment price does not match live runner price"}
	errSessionGone  = &answer{http.StatusNotFound, "runner session not found"}
	errFixed        = &answer{
		http.StatusConflict, "fixed-price live runner sessions do not accept follow-up payments",
	}
)

// statuses are those of refusals. Read-only.
var statuses = map[liverunner.Reason]int{
	liverunner.Unknown: http.StatusNotFound, liverunner.Wrong: http.StatusBadRequest,
	liverunner.Full: http.StatusServiceUnavailable, liverunner.Unauthorized: http.StatusUnauthorized,
	liverunner.NoCapacity: http.StatusServiceUnavailable, liverunner.Drains: http.StatusServiceUnavailable,
	liverunner.Exists: http.StatusConflict,
}

// refuse sends an error: a refusal's own status and text, a fault's by the protocol, else 400.
func refuse(w http.ResponseWriter, err error) {
	if r, ok := errors.AsType[*liverunner.Refusal](err); ok {
		http.Error(w, r.Text, statuses[r.Reason])
		return
	}
	if a, ok := errors.AsType[*answer](err); ok {
		http.Error(w, a.text, a.status)
		return
	}
	if f, ok := errors.AsType[*fault.Fault](err); ok {
		w.Header().Set(rpc.CodeHeader, string(f.Code))
		http.Error(w, fault.Wire(err), status.Protocol(err))
		return
	}
	http.Error(w, err.Error(), http.StatusBadRequest)
}

// WriteError sends an error as JSON and, other than with results, a newline: so do the network's nodes.
func WriteError(w http.ResponseWriter, code int, text string) {
	writeEnded(w, code, map[string]any{"error": map[string]string{"message": text}}, "\n")
}

// readBody reads a bounded body.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	return io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
}
