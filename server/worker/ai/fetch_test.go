package ai_test

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/worker/ai"
)

// Where an input may be fetched from.
func TestInputsAreFetched(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_,
			_ = io.WriteString(w, "other")
	}))
	defer other.Close()
	mux := http.NewServeMux()
	mux.HandleFunc("/file", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "file") })
	mux.Handle("/here", http.RedirectHandler("/file", http.StatusFound))
	mux.Handle("/away", http.RedirectHandler(other.URL, http.StatusFound))
	mux.Handle("/round", http.RedirectHandler("/round", http.StatusFound))
	orch := httptest.NewServer(mux)
	defer orch.Close()
	w, err := ai.New(ai.Options{Models: newModels(llm("m"), 1), Random: rand.Reader, Now: time.Now,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct{ url, orchestrator, want string }{
		"its own":       {orch.URL + "/file", "localhost:1", "file"},
		"elsewhere":     {other.URL, "orch.example:8935", "other"},
		"moved":         {orch.URL + "/here", "localhost:1", "file"},
		"moved away":    {orch.URL + "/away", "localhost:1", "another host"},
		"in circles":    {orch.URL + "/round", "localhost:1", "another host"},
		"metadata":      {"http://169.254.169.254/latest", "orch.example:8935", "this machine alone"},
		"mapped":        {"http://[::ffff:169.254.169.254]/latest", "orch.example:8935", "this machine alone"},
		"metadata of 6": {"http://[fe80::1]/latest", "orch.example:8935", "this machine alone"},
		"no web":        {"file:///etc/passwd", "orch.example:8935", "no address"},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := w.Input(t.Context(), row.orchestrator, row.url)
			got := string(text)
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, row.want) {
				t.Errorf("%q", got)
			}
		})
	}
}

// An orchestrator that is at a link-local address itself is asked.
func TestInputsOfAnOrchestratorNextDoor(t *testing.T) {
	w, err := ai.New(ai.Options{Models: newModels(llm("m"), 1), Random: rand.Reader, Now: time.Now,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err = w.Input(ctx, "169.254.99.99:8935", "http://169.254.99.99:1/file")
	if fault.CodeOf(err) != fault.AIInputLost || strings.Contains(err.Error(), "this machine alone") ||
		errors.Is(err, syscall.EPERM) {
		t.Error(err)
	}
}
