package liverunner

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/tuttinode/tutti/core/liverunner"
)

// maxBody bounds the JSON of runners and the operator, in bytes.
const maxBody = 1 << 20

// writeJSON sends a value without a newline, as the network's nodes do.
func writeJSON(w http.ResponseWriter, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		http.Error(w, "cannot encode the answer", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(data)
}

// statuses are those of refusals. Read-only.
var statuses = map[liverunner.Reason]int{
	liverunner.Unknown: http.StatusNotFound, liverunner.Wrong: http.StatusBadRequest,
	liverunner.Full: http.StatusServiceUnavailable, liverunner.Unauthorized: http.StatusUnauthorized,
}

// refuse sends an error: a refusal's own status and text, else 400.
func refuse(w http.ResponseWriter, err error) {
	if r, ok := errors.AsType[*liverunner.Refusal](err); ok {
		http.Error(w, r.Text, statuses[r.Reason])
		return
	}
	http.Error(w, err.Error(), http.StatusBadRequest)
}

// readBody reads a bounded body.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	return io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
}
