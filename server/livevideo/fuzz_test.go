package livevideo_test

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/livevideo"
	"github.com/tuttinode/tutti/server/trickle"
)

// refusing is a worker whose runner refuses every session.
type refusing struct {
	used int
	last *inference.Job
}

func (w *refusing) Models() []inference.ModelState {
	return []inference.ModelState{{
		Model: inference.Model{Capability: capability.LiveVideoToVideo, ID: "m"}, State: inference.Ready, Capacity: 1,
		InUse: w.used,
	}}
}

func (w *refusing) Reserve(context.Context, inference.Model, string) (inference.Slot, error) {
	w.used++
	return &refusingSlot{w: w}, nil
}

type refusingSlot struct{ w *refusing }

func (s *refusingSlot) Run(_ context.Context, job *inference.Job) (*inference.Reply, error) {
	s.w.last = job
	return &inference.Reply{Status: http.StatusBadRequest, Body: io.NopCloser(strings.NewReader("no"))}, nil
}
func (s *refusingSlot) Release()                  { s.w.used-- }
func (s *refusingSlot) Lost() <-chan struct{}     { return nil }
func (s *refusingSlot) Recheck()                  {}
func (s *refusingSlot) AwaitIdle(context.Context) {}

// TestIDsOfRequests: an ID that a gateway chooses becomes a header for the runner. One that no header may have would
// make every session fail as if its runner, or its worker, could not be reached.
func TestIDsOfRequests(t *testing.T) {
	t.Parallel()
	worker := &refusing{}
	s := livevideo.New(livevideo.Options{
		Hub: trickle.NewHub(trickle.Limits{}, time.Now), ServiceURI: "https://orch.test:8935",
		Workers: []inference.Worker{worker}, Now: time.Now, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
	})
	for id, want := range map[string]string{"r-1": "r-1", `a\nb`: "", "": "", strings.Repeat("x", 1<<16): "", "ü": ""} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, livevideo.Path,
			strings.NewReader(`{"model_id":"m","gateway_request_id":"`+id+`"}`))
		s.Start(httptest.NewRecorder(), r, func() (string, error) { return "party", nil })
		if got := worker.last.RequestID; got != want || !strings.Contains(string(worker.last.Body), id) {
			t.Errorf("the job of %.20q is called %.20q", id, got)
		}
	}
}

// FuzzRequests sends bodies of all kinds: each is refused, and nothing of its session is left.
func FuzzRequests(f *testing.F) {
	for _, body := range []string{"", "{", "null", `{"model_id":"m"}`, `{"model_id":"m","params":null}`, `{"model_id":1}`,
		`{"model_id":"m","params":{"a":"\ud800"},"stream_id":"s","gateway_request_id":"r"}`} {
		f.Add([]byte(body), "stream")
	}
	hub, worker := trickle.NewHub(trickle.Limits{}, time.Now), &refusing{}
	s := livevideo.New(livevideo.Options{
		Hub: hub, ServiceURI: "https://orch.test:8935", Workers: []inference.Worker{worker}, Now: time.Now,
		Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
	})
	f.Fuzz(func(t *testing.T, body []byte, stream string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, livevideo.Path, strings.NewReader(string(body)))
		r.Header["Streamid"] = []string{stream}
		w := httptest.NewRecorder()
		s.Start(w, r, func() (string, error) { return "party", nil })
		if w.Code != http.StatusBadRequest && w.Code != http.StatusInternalServerError {
			t.Errorf("status %d for %q", w.Code, body)
		}
		if hub.Len() != 0 || worker.used != 0 || s.Sessions() != 0 {
			t.Errorf("%d channels, %d slots, %d sessions are left", hub.Len(), worker.used, s.Sessions())
		}
	})
}
