package worker_test

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/worker"
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
	w, err := worker.NewAI(worker.AIOptions{Models: newModels(llm("m"), 1), Random: rand.Reader, Now: time.Now,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct{ url, orchestrator, want string }{
		"its own":       {orch.URL + "/file", "127.0.0.1", "file"},
		"elsewhere":     {other.URL, "::1", "other"},
		"moved":         {orch.URL + "/here", "127.0.0.1", "file"},
		"moved away":    {orch.URL + "/away", "127.0.0.1", "another host"},
		"in circles":    {orch.URL + "/round", "127.0.0.1", "another host"},
		"metadata":      {"http://169.254.169.254/latest", "127.0.0.1", "this machine alone"},
		"mapped":        {"http://[::ffff:169.254.169.254]/latest", "10.1.2.3", "this machine alone"},
		"metadata of 6": {"http://[fe80::1]/latest", "1.1.1.1", "this machine alone"},
		"this machine":  {orch.URL + "/file", "10.1.2.3", "this machine, where the orchestrator is not"},
		"our network":   {"http://10.1.2.4/camera.jpg", "1.1.1.1", "no public address"},
		"no web":        {"file:///etc/passwd", "127.0.0.1", "no address"},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := w.Input(t.Context(), worker.OriginOf(netip.MustParseAddr(row.orchestrator), netip.Addr{}), row.url)
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

// An orchestrator that is at a link-local address itself gets the request.
func TestInputsOfAnOrchestratorNextDoor(t *testing.T) {
	w, err := worker.NewAI(worker.AIOptions{Models: newModels(llm("m"), 1), Random: rand.Reader, Now: time.Now,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err = w.Input(ctx, worker.OriginOf(netip.MustParseAddr("169.254.99.99"), netip.Addr{}),
		"http://169.254.99.99:1/file")
	if fault.CodeOf(err) != fault.AIInputLost || strings.Contains(err.Error(), "this machine alone") ||
		errors.Is(err, syscall.EPERM) {
		t.Error(err)
	}
}
