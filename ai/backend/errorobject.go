package backend

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/core/inference"
)

// Some servers report errors with the status 200: as an object in place of the answer, or as the first
// event of a stream. Before anything of it was passed on, that is an error like any other.

const (
	eventStream = "text/event-stream"
	// errorStart is how much of an answer is looked at for an error object.
	errorStart = 1 << 10
)

func mediaType(resp *http.Response) string {
	t, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return t
}

// reportedError waits for the begin of an answer and returns the error object that it is, nil for none.
func (a *answer) reportedError(contentType string, stream bool) ([]byte, error) {
	switch {
	case contentType == jsonType:
		return a.errorAnswer()
	case !stream:
		return nil, nil
	}
	if err := a.peek(); err != nil {
		return nil, err
	}
	if contentType != eventStream {
		return nil, nil
	}
	for {
		data, more := firstData(a.head)
		if isError(data) {
			return data, nil
		}
		if !more || a.err != nil || len(a.head) >= maxErrorBody {
			return nil, nil
		}
		if err := a.readAhead(); err != nil {
			return nil, nil // it comes after what has arrived
		}
	}
}

// errorAnswer returns an answer that is an error object.
func (a *answer) errorAnswer() ([]byte, error) {
	for a.err == nil && len(a.head) < maxErrorBody {
		if len(a.head) >= errorStart && !bytes.Contains(a.head, []byte(`"error"`)) {
			break
		}
		if err := a.readAhead(); err != nil && len(a.head) == 0 {
			return nil, err
		}
	}
	if isError(a.head) {
		return a.head, nil
	}
	return nil, nil
}

// readAhead reads more of the answer, which Read returns later. The error is not io.EOF.
func (a *answer) readAhead() error {
	head := a.head
	a.head = nil
	more := make([]byte, 4<<10)
	n, err := a.Read(more)
	a.head = append(append(head, more[:n]...), a.head...)
	if err != nil && a.err != nil && !a.ended() {
		return a.err
	}
	return nil
}

// firstData returns the data of the first event. more reports that it has not arrived in full.
func firstData(head []byte) (data []byte, more bool) {
	for {
		line, rest, ended := bytes.Cut(head, []byte("\n"))
		if value, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			return bytes.TrimSpace(value), !ended
		}
		switch {
		case bytes.HasPrefix(line, []byte(":")):
			return nil, false // a comment shows that it works
		case !ended:
			return nil, true
		}
		head = rest
	}
}

// isError reports whether a text is an error object without any part of an answer.
func isError(text []byte) bool {
	if !bytes.Contains(text, []byte(`"error"`)) {
		return false
	}
	var o struct {
		Error   any             `json:"error"`
		Object  string          `json:"object"`
		Choices json.RawMessage `json:"choices"`
		Data    json.RawMessage `json:"data"`
		Results json.RawMessage `json:"results"`
		Images  json.RawMessage `json:"images"`
	}
	if json.Unmarshal(text, &o) != nil || len(o.Choices)+len(o.Data)+len(o.Results)+len(o.Images) > 0 {
		return false
	}
	if o.Object == "error" {
		return true
	}
	switch e := o.Error.(type) {
	case string:
		return e != ""
	case map[string]any:
		return len(e) > 0
	}
	return false
}

// errorStatus returns the status that an error object should have had.
func errorStatus(text []byte) int {
	type object struct {
		Code any    `json:"code"`
		Type string `json:"type"`
	}
	var o struct {
		object
		Error json.RawMessage `json:"error"`
	}
	_ = json.Unmarshal(text, &o)
	inner := o.object
	_ = json.Unmarshal(o.Error, &inner)
	var status int
	switch code := inner.Code.(type) {
	case float64:
		status = int(code)
	case string:
		status, _ = strconv.Atoi(code)
	}
	kind := strings.ToLower(inner.Type)
	switch {
	case status >= 400 && status <= 599:
		return status
	case strings.Contains(kind, "invalid_request"), strings.Contains(kind, "badrequest"):
		return http.StatusBadRequest
	case strings.Contains(kind, "rate_limit"), strings.Contains(kind, "overloaded"):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// unparsedRequest returns the error object of a request that a server could not read and reports as a failure
// of its own: llama.cpp gives 500 for mistakes in messages and tools. As a failure it would be blamed on
// the server, and tried at others.
func unparsedRequest(status int, body []byte) ([]byte, bool) {
	if status != http.StatusInternalServerError {
		return nil, false
	}
	text := inference.Message(body)
	if !strings.HasPrefix(text, "Failed to parse messages: ") && !strings.HasPrefix(text, "Failed to parse tools: ") {
		return nil, false
	}
	object, err := json.Marshal(map[string]any{"error": map[string]any{
		"code": http.StatusBadRequest, "message": text, "type": "invalid_request_error",
	}})
	return object, err == nil
}
