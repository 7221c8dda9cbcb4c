package gateway

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/status"
)

// noSessionsText is what existing clients expect when no orchestrator takes a stream.
const noSessionsText = "No sessions available"

// refusePush reports a failed push.
func (g *Gateway) refusePush(w http.ResponseWriter, r *http.Request, err error) {
	code := fault.CodeOf(err)
	answer := status.Push(code)
	if answer == http.StatusUnauthorized || answer == http.StatusForbidden {
		w.Header().Set("Connection", "close") // as below
	}
	switch code {
	case fault.PushOff, fault.PushTooLarge, fault.PushSlow, fault.PushesFull, fault.Draining:
		// The rest of the body is not worth reading.
		w.Header().Set("Connection", "close")
	}
	if answer == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	refuse(w, r, answer, err)
}

// refuse writes an error: text with its code in a header, or JSON if the client asks for it.
func refuse(w http.ResponseWriter, r *http.Request, answer int, err error) {
	code, text := fault.Public(err)
	if code == string(fault.NoSessionsAvailable) {
		text = noSessionsText
	}
	h := w.Header()
	h.Set(rpc.CodeHeader, code)
	h.Set("X-Content-Type-Options", "nosniff")
	if !strings.Contains(r.Header.Get("Accept"), "application/json") {
		h.Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(answer)
		_, _ = w.Write([]byte(text + "\n"))
		return
	}
	writeJSON(w, answer, struct {
		Error struct {
			Code    string `json:"code"`
			Message string `json:"message"`
			Remedy  string `json:"remedy,omitempty"`
		} `json:"error"`
	}{Error: struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		Remedy  string `json:"remedy,omitempty"`
	}{code, text, remedy(fault.Code(code))}})
}

func remedy(code fault.Code) string {
	if row, ok := fault.Lookup(code); ok {
		return row.Remedy
	}
	return ""
}

// writeJSON writes v as an answer.
func writeJSON(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		http.Error(w, "Internal Server Error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n'))
}
