package backend_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/ai/backend"
	"github.com/tuttinode/tutti/core/fault"
)

// answersWith is a job's answer of the parts, each flushed.
func answersWith(contentType, encoding string, parts ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", contentType)
		if encoding != "" {
			w.Header().Set("Content-Encoding", encoding)
		}
		for _, part := range parts {
			_, _ = io.WriteString(w, part)
			_ = http.NewResponseController(w).Flush()
		}
	}
}

const (
	asJSON   = "application/json; charset=utf-8"
	asEvents = "text/event-stream; charset=utf-8"
	// badEvent is an error as an event, badType one of a type.
	badEvent = "data: {\"error\":{\"message\":\"x\"}}\n\n"
	badType  = `{"error":{"message":"x","type":"`
)

// An error object with the status 200 is the error that it is; what only mentions one is an answer.
func TestErrorsWithStatus200(t *testing.T) {
	t.Parallel()
	const whole = `{"choices":[{"message":{"content":"an \"error\""}}],"error":null}`
	long := `{"choices":[{"message":{"content":"` + strings.Repeat("x", 100<<10) + `"}}],"error":"no"}`
	for name, tt := range map[string]struct {
		contentType string
		parts       []string
		stream      bool
		want        fault.Code // "" is an answer
		status      int        // of the answer
	}{
		"object":           {asJSON, []string{badType + `server_error"}}`}, false, fault.RunnerFailed, 0},
		"in two parts":     {asJSON, []string{`{"err`, `or":{"message":"x"}}`}, false, fault.RunnerFailed, 0},
		"text":             {asJSON, []string{`{"error":"model is broken"}`}, false, fault.RunnerFailed, 0},
		"out of memory":    {asJSON, []string{`{"error":"CUDA out of memory"}`}, false, fault.RunnerOutOfMemory, 0},
		"with its code":    {asJSON, []string{`{"error":{"message":"x","code":503}}`}, false, fault.RunnerBusy, 0},
		"overloaded":       {asJSON, []string{badType + `overloaded_error"}}`}, false, fault.RunnerBusy, 0},
		"the client's":     {asJSON, []string{badType + `invalid_request_error"}}`}, false, "", 400},
		"old form":         {asJSON, []string{`{"object":"error","message":"\"error\"","code":422}`, ` `}, false, "", 422},
		"stream as object": {asJSON, []string{`{"error":{"message":"x"}}`}, true, fault.RunnerFailed, 0},
		"first event":      {asEvents, []string{badEvent}, true, fault.RunnerFailed, 0},
		"named event":      {asEvents, []string{"event: error\n", badEvent[:17], badEvent[17:]}, true, fault.RunnerFailed, 0},
		"client's event":   {asEvents, []string{"data: {\"error\":{\"code\":400}}\n\n"}, true, "", 400},
		"later event":      {asEvents, []string{"data: {\"choices\":[]}\n\n", badEvent}, true, "", 200},
		"after a comment":  {asEvents, []string{": works\n\n", badEvent}, true, "", 200},
		"an answer":        {asJSON, []string{whole}, false, "", 200},
		"an empty one":     {asJSON, nil, false, "", 200},
		"a long one":       {asJSON, []string{long[:2000], long[2000:]}, false, "", 200},
		"no JSON":          {asJSON, []string{`"error"`}, false, "", 200},
		"empty object":     {asJSON, []string{`{"error":{}}`}, false, "", 200},
		"another type":     {"text/plain", []string{`{"error":"x"}`}, false, "", 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, llamaPages())
			f.job = answersWith(tt.contentType, "", tt.parts...)
			reply, err := newServer(t, options(f.url)).Run(within(t), chat(`{}`, tt.stream))
			if tt.want != "" {
				if !errors.Is(err, tt.want) {
					t.Fatalf("%v, want %s", err, tt.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(reply.Body)
			if closed := reply.Body.Close(); err != nil || closed != nil || reply.Status != tt.status ||
				tt.status == 200 && string(text) != strings.Join(tt.parts, "") {
				t.Errorf("%d %q, %v, %v", reply.Status, text, err, closed)
			}
		})
	}
}

// [DONE] ends an answer whose server does not: what follows is ignored, and the request ends.
func TestDoneEndsTheAnswer(t *testing.T) {
	t.Parallel()
	const event = "data: {\"choices\":[]}\n\n"
	for name, tt := range map[string]struct {
		parts []string
		want  string
	}{
		"held open":       {[]string{event, "data: [DONE]\n\n"}, event + "data: [DONE]\n\n"},
		"all at once":     {[]string{event + "data: [DONE]\n\n"}, event + "data: [DONE]\n\n"},
		"torn":            {[]string{event + "data: [DO", "NE]", "\n"}, event + "data: [DONE]\n\n"},
		"more follows":    {[]string{event, "data: [DONE]\n\n" + event, event}, event + "data: [DONE]\n\n"},
		"without a space": {[]string{event, "data:[DONE]\r\n\r\n"}, event + "data:[DONE]\r\n\r\n"},
		"it is alone":     {[]string{"data: [DONE]\n"}, "data: [DONE]\n\n"},
		"only in the text": {[]string{"data: \"data: [DONE]\"\n\n", "data: [DONE]\n\n"},
			"data: \"data: [DONE]\"\n\ndata: [DONE]\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, llamaPages())
			left := make(chan struct{})
			f.job = func(w http.ResponseWriter, r *http.Request) {
				defer close(left)
				answersWith(asEvents, "", tt.parts...)(w, r)
				<-r.Context().Done() // the server keeps the connection
			}
			reply, err := newServer(t, options(f.url)).Run(within(t), chat(`{}`, true))
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(reply.Body)
			if err != nil || string(text) != tt.want {
				t.Errorf("%q, %v, want %q", text, err, tt.want)
			}
			await(t, left, "the end of the request")
			_ = reply.Body.Close()
		})
	}
}

func zipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Answers that come compressed are read, within the same bounds as others; those that cannot be read say so.
func TestCompressedAnswers(t *testing.T) {
	t.Parallel()
	const text = `{"choices":[]}`
	bomb := zipped(t, strings.Repeat(" ", 4<<20))
	for name, tt := range map[string]struct {
		encoding, body string
		stream         bool
		want           string
		code           fault.Code
	}{
		"gzip":       {"gzip", zipped(t, text), false, text, ""},
		"x-gzip":     {"X-GZIP", zipped(t, text), false, text, ""},
		"identity":   {"identity", text, false, text, ""},
		"stream":     {"gzip", zipped(t, "data: [DONE]\n\n"), true, "data: [DONE]\n\n", ""},
		"brotli":     {"br", text, false, "", fault.RunnerGarbled},
		"not gzip":   {"gzip", text, false, "", fault.RunnerBroke},
		"broken off": {"gzip", zipped(t, text)[:20], false, "", fault.RunnerBroke},
		"a bomb":     {"gzip", bomb, false, "", fault.RunnerGarbled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, llamaPages())
			f.job = answersWith(map[bool]string{false: asJSON, true: asEvents}[tt.stream], tt.encoding, tt.body)
			o := options(f.url)
			o.MaxAnswer = 1 << 20
			reply, err := newServer(t, o).Run(within(t), chat(`{}`, tt.stream))
			var got []byte
			if err == nil {
				got, err = io.ReadAll(reply.Body)
				_ = reply.Body.Close()
			}
			if tt.code == "" && (err != nil || string(got) != tt.want) || tt.code != "" && !errors.Is(err, tt.code) {
				t.Errorf("%d bytes, %v, want %s", len(got), err, tt.code)
			}
		})
	}
}

// A proxy may compress the answers to probes, too.
func TestCompressedProbes(t *testing.T) {
	t.Parallel()
	f := newFake(t, map[string]page{})
	f.job = func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }
	whole := newFake(t, llamaPages())
	proxy := func(w http.ResponseWriter, r *http.Request) bool {
		p, ok := whole.pages[r.URL.Path]
		if ok {
			body := p.body
			if strings.HasSuffix(body, ".json") {
				body = vector(t, body)
			}
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(p.status)
			_, _ = io.WriteString(w, zipped(t, body))
		}
		return ok
	}
	f.first = proxy
	info, err := newServer(t, options(f.url)).Probe(within(t))
	if err != nil || info.Kind != backend.LlamaCpp || info.Served == "" {
		t.Errorf("%+v, %v", info, err)
	}
}
