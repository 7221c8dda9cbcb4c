package gateway

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// CodeHeader carries the fault's code beside an error's text.
const CodeHeader = "Tutti-Code"

// noSessionsText is what existing clients look for when nobody takes a stream.
const noSessionsText = "No sessions available"

// pushStatus is the status of a refused push. The network's clients tell bad
// input (422, also when every attempt failed) from a gateway without
// orchestrators (503); anything else is 500.
func pushStatus(code fault.Code) int {
	switch code {
	case fault.PushTooLarge:
		return http.StatusRequestEntityTooLarge
	case fault.PushSlow:
		return http.StatusRequestTimeout
	case fault.StreamDenied:
		return http.StatusForbidden
	case fault.NoSessionsAvailable, fault.PushesFull, fault.StreamsFull, fault.Draining, fault.StreamHookFailed, fault.Canceled:
		// Canceled is read only when the gateway ends before the segment did.
		return http.StatusServiceUnavailable
	case fault.PushPath, fault.PushHeader, fault.PushConfiguration, fault.PushEmpty, fault.PushBroken,
		fault.InputCodecUnsupported, fault.InputUnreadable, fault.SegmentNotTranscodable, fault.AttemptsExhausted,
		fault.InvalidProfiles, fault.TranscoderInvalidResolution, fault.TranscoderUnrecognizedFormat,
		fault.TranscoderUnrecognizedProfile, fault.TranscoderInvalidGOP:
		return http.StatusUnprocessableEntity
	}
	if code.Class() == fault.BadRequest {
		return http.StatusUnprocessableEntity
	}
	return http.StatusInternalServerError
}

// refusePush answers a push that came to nothing.
func (g *Gateway) refusePush(w http.ResponseWriter, r *http.Request, err error) {
	code := fault.CodeOf(err)
	status := pushStatus(code)
	switch code {
	case fault.PushTooLarge, fault.PushSlow, fault.PushesFull, fault.Draining:
		// What is left of the body is not worth reading.
		w.Header().Set("Connection", "close")
	}
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	refuse(w, r, status, err)
}

// refuse writes an error: text with its code in a header, or JSON for those who
// ask for it.
func refuse(w http.ResponseWriter, r *http.Request, status int, err error) {
	code, text := fault.Public(err)
	if code == string(fault.NoSessionsAvailable) {
		text = noSessionsText
	}
	h := w.Header()
	h.Set(CodeHeader, code)
	h.Set("X-Content-Type-Options", "nosniff")
	if !strings.Contains(r.Header.Get("Accept"), "application/json") {
		h.Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text + "\n"))
		return
	}
	writeJSON(w, status, struct {
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
