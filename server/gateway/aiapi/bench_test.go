package aiapi_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

// sink is a client that costs nothing.
type sink struct{ header http.Header }

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(int)             {}
func (s *sink) Write(b []byte) (int, error) { return len(b), nil }
func (s *sink) FlushError() error           { return nil }

func (s *sink) SetReadDeadline(time.Time) error  { return nil }
func (s *sink) SetWriteDeadline(time.Time) error { return nil }

// parts is a body of parts that costs nothing.
type parts struct {
	part, last string
	n          int
}

func (p *parts) Read(b []byte) (int, error) {
	switch {
	case p.n > 0:
		p.n--
		return copy(b, p.part), nil
	case p.last != "":
		n := copy(b, p.last)
		p.last = ""
		return n, nil
	}
	return 0, io.EOF
}

func (p *parts) Close() error { return nil }

// benched is a front with keys and the log on, whose network costs nothing.
func benched(b *testing.B, answer func(context.Context, *inference.Job) (*broker.Answer, error)) http.Handler {
	f, err := aiapi.New(aiapi.Options{
		Dispatcher: &measured{answer}, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Keys: apikeys.New(apikeys.Options{Now: time.Now,
			Static: []apikeys.Key{{ID: "k-1", Name: "team", Hash: apikeys.HashOf(token),
				Limits: apikeys.Limits{RPM: 1e9, TPM: 1e12}}}}),
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(f.Close)
	mux := http.NewServeMux()
	f.Register(mux)
	return mux
}

type measured struct {
	answer func(context.Context, *inference.Job) (*broker.Answer, error)
}

func (m *measured) Do(ctx context.Context, job *inference.Job, _ broker.Hint) (*broker.Answer, error) {
	return m.answer(ctx, job)
}
func (m *measured) Models(context.Context) ([]inference.ModelState, error) { return nil, nil }

func bench(b *testing.B, body string, answer func(context.Context, *inference.Job) (*broker.Answer, error)) {
	h := benched(b, answer)
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(body))
		r.Header["Authorization"] = []string{"Bearer " + token}
		h.ServeHTTP(&sink{make(http.Header, 8)}, r)
	}
}

// BenchmarkRequestItself is what the other benchmarks cost without the front.
func BenchmarkRequestItself(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(chatBody))
		r.Header["Authorization"] = []string{"Bearer " + token}
		_ = &sink{make(http.Header, 8)}
	}
}

func BenchmarkPlain(b *testing.B) {
	bench(b, chatBody, func(context.Context, *inference.Job) (*broker.Answer, error) {
		return reply("application/json", &parts{last: chatAnswer}), nil
	})
}

func BenchmarkStream(b *testing.B) {
	for name, body := range map[string]string{"usage": usageBody, "hidden": streamBody} {
		b.Run(name, func(b *testing.B) {
			bench(b, body, func(context.Context, *inference.Job) (*broker.Answer, error) {
				return reply("text/event-stream", &parts{part: event1, last: lastEvent + usage + done, n: 64}), nil
			})
		})
	}
}
