package aiapi_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/server/gateway/aiapi"
)

// Whatever a client sends, it gets an answer, and a refusal is OpenAI's object.
func FuzzRequest(f *testing.F) {
	for _, path := range []string{"/llm", "/v1/completions", "/v1/embeddings", "/text-to-image",
		"/v1/images/generations", "/v1/audio/speech", "/image-to-video/result"} {
		f.Add(path, "application/json", chatBody)
		f.Add(path, "", `{"model":"m","prompt":"x","input":["a"],"n":2,"size":"1x1"}`)
	}
	const form = "--b\r\nContent-Disposition: form-data; name=\"image\"; " +
		"filename=\"x\"\r\n\r\nx\r\n--b\r\nContent-Disposition: form-data; name=\"prompt\"\r\n\r\nx\r\n--b--\r\n"
	for _, path := range []string{"/v1/images/edits", "/v1/audio/transcriptions", "/audio-to-text", "/upscale",
		"/image-to-video"} {
		f.Add(path, "multipart/form-data; boundary=b", form)
	}
	f.Fuzz(func(t *testing.T, path, contentType, body string) {
		n := start(t, func(o *aiapi.Options) { o.Media = seconds(1) })
		n.broker.answer = streams(io.EOF, event1, lastEvent)
		r := httptest.NewRequest(http.MethodPost, "/llm", strings.NewReader(body))
		r.Header.Set("Content-Type", contentType)
		r.URL.Path = "/" + strings.TrimPrefix(path, "/")
		rec := httptest.NewRecorder()
		n.handler.ServeHTTP(rec, r)
		if rec.Code < 400 || rec.Header().Get("Tutti-Code") == "" {
			return // served, or no route
		}
		var object struct {
			Error struct{ Message, Type, Code string } `json:"error"`
		}
		if err := json.Unmarshal(rec.Body.Bytes(), &object); err != nil || object.Error.Message == "" ||
			object.Error.Type == "" || object.Error.Code == "" {
			t.Errorf("status %d, %v: %s", rec.Code, err, rec.Body)
		}
	})
}

// Whatever comes from an orchestrator, the client gets whole events.
func FuzzStream(f *testing.F) {
	f.Add(event1+event2+lastEvent+usage+done, 10, true)
	f.Add(": x\r\n\r\ndata: {}\r\n\r\n", 3, false)
	f.Add("data: [DONE]", 100, false)
	f.Fuzz(func(t *testing.T, stream string, cut int, broken bool) {
		n := start(t, nil)
		cut = min(max(cut, 0), len(stream))
		end := io.EOF
		if broken {
			end = errBroken
		}
		for _, body := range []string{streamBody, usageBody} {
			var parts []string
			for _, p := range []string{stream[:cut], stream[cut:]} {
				if p != "" {
					parts = append(parts, p)
				}
			}
			n.broker.answer = streams(end, parts...)
			g := n.local(http.MethodPost, "/llm", body)
			if g.status != http.StatusOK || g.body != "" && !strings.HasSuffix(g.body, "\n\n") &&
				!strings.HasSuffix(g.body, "\r\n") && !strings.HasSuffix(g.body, "\r\r") {
				t.Errorf("status %d, %q", g.status, g.body)
			}
			if broken && !strings.Contains(g.body, `"error":{`) {
				t.Errorf("a broken stream has no error: %q", g.body)
			}
		}
	})
}
