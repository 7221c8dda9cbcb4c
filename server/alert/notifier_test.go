package alert_test

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	served "github.com/tuttinode/tutti/server/alert"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hook is a service that takes alerts.
type hook struct {
	*httptest.Server
	mu     sync.Mutex
	status int
	came   []received
	got    chan struct{}
}

type received struct {
	header http.Header
	body   string
}

func newHook(t *testing.T) *hook {
	h := &hook{status: 200, got: make(chan struct{}, 100)}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.status >= 300 && h.status < 400 {
			w.Header().Set("Location", "/stolen")
		}
		h.came = append(h.came, received{r.Header.Clone(), string(b)})
		w.WriteHeader(h.status)
		h.got <- struct{}{}
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *hook) answer(status int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.status = status
}

func (h *hook) wait(t *testing.T) received {
	t.Helper()
	select {
	case <-h.got:
	case <-time.After(20 * time.Second):
		t.Fatal("no alert came")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.came[len(h.came)-1]
}

func sender(t *testing.T, list string) *served.Sender {
	t.Helper()
	sinks, err := health.ParseSinks(list)
	if err != nil {
		t.Fatal(err)
	}
	s := served.NewSender(sinks[0], nil, time.Now)
	t.Cleanup(s.Close)
	return s
}

func message() *served.Message {
	return &served.Message{
		Node: "n1", Version: "1.2", Dropped: 3,
		Alert: health.Alert{
			State: health.AlertFiring, Severity: fault.Critical, Key: health.Key{Code: fault.PortClosed, About: "host:1"},
			Detail: "<@everyone> & \"quoted\"\n", Cause: "`it` is closed", Remedy: "open it", Since: time.Unix(1e9, 0),
			At: time.Unix(1e9+60, 0), Times: 2,
		},
	}
}

func TestPayloads(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	for _, tt := range []struct {
		scheme string
		field  string
		want   []string
	}{
		{"", "summary", []string{"firing: PortClosed (host:1) on n1"}},
		{"slack+", "text", []string{"🔴 *firing: PortClosed (host:1) on n1*\n", "&lt;@\u200beveryone&gt; &amp;",
			"What to do: open it", "2 times", "3 alerts"}},
		{"discord+", "content", []string{"**firing: PortClosed (host:1) on n1**\n", "it is closed"}},
	} {
		if _, err := sender(t, tt.scheme+h.URL).Send(t.Context(), message()); err != nil {
			t.Fatal(err)
		}
		r := h.wait(t)
		var body map[string]any
		if err := json.Unmarshal([]byte(r.body), &body); err != nil || r.header.Get("Content-Type") != "application/json" {
			t.Fatalf("%s: %v: %s", tt.scheme, err, r.body)
		}
		for _, want := range tt.want {
			if got, _ := body[tt.field].(string); !strings.Contains(got, want) {
				t.Errorf("%s: %q is not in %q", tt.scheme, want, got)
			}
		}
	}
	if _, err := sender(t, "ntfy+"+h.URL+"/topic").Send(t.Context(), message()); err != nil {
		t.Fatal(err)
	}
	if r := h.wait(t); r.header.Get("Title") != "firing: PortClosed (host:1) on n1" ||
		r.header.Get("Priority") != "urgent" || !strings.HasPrefix(r.body, "🔴 firing") {
		t.Errorf("ntfy: %+v", r)
	}
}

func TestWebhookDocument(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	if _, err := sender(t, h.URL).Send(t.Context(), message()); err != nil {
		t.Fatal(err)
	}
	want := `{"state":"firing","severity":"critical","code":"PortClosed","about":"host:1","node":"n1",` +
		`"summary":"firing: PortClosed (host:1) on n1",` +
		`"detail":"\u003c@everyone\u003e \u0026 \"quoted\"\n","cause":"it is closed","remedy":"open it",` +
		`"since":"2001-09-09T01:46:40Z","at":"2001-09-09T01:47:40Z","times":2,"dropped":3,"version":"1.2"}`
	if r := h.wait(t); r.body != want {
		t.Errorf("got  %s\nwant %s", r.body, want)
	}
}

// A failure is reported without the address, and redirections are not followed.
func TestFailuresKeepTheSecret(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	gone := httptest.NewServer(nil)
	gone.Close()
	tlsHook := httptest.NewTLSServer(http.NotFoundHandler())
	tlsHook.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	t.Cleanup(tlsHook.Close)
	for _, tt := range []struct {
		list   string
		status int
		want   string
	}{
		{h.URL + "/s3cr3t", 500, "it answered with status 500"},
		{"slack+" + h.URL + "/s3cr3t", 307, "a redirection, which is not followed"},
		{gone.URL + "/s3cr3t?k=s3cr3t", 0, "it cannot be reached (dial)"},
		{"https://u:s3cr3t@" + strings.TrimPrefix(tlsHook.URL, "https://"), 0, "its certificate is not valid"},
	} {
		h.answer(tt.status)
		_, err := sender(t, tt.list).Send(t.Context(), message())
		if fault.CodeOf(err) != fault.AlertUndelivered || !strings.Contains(err.Error(), tt.want) ||
			strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.came) != 2 {
		t.Errorf("%d requests came", len(h.came))
	}
}

func TestTellerTellsAndTriesAgain(t *testing.T) {
	t.Parallel()
	good, bad := newHook(t), newHook(t)
	bad.answer(http.StatusBadGateway)
	board := health.New(slog.New(slog.DiscardHandler), time.Now, nil)
	teller := served.New(served.Options{
		Board: board, Senders: []*served.Sender{sender(t, good.URL), sender(t, "slack+"+bad.URL)},
		Node: "n1", Version: "1", Log: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	done := run(t, teller)
	board.Set(health.Key{Code: fault.LedgerFailed}, "disk full")
	if r := good.wait(t); !strings.Contains(r.body, `"state":"firing","severity":"critical","code":"LedgerFailed"`) {
		t.Errorf("sent: %s", r.body)
	}
	bad.wait(t)
	// The failing sink is a problem, which only the other one receives.
	if r := good.wait(t); !strings.Contains(r.body, `"code":"AlertUndelivered","about":"slack 127.0.0.1`) {
		t.Errorf("sent: %s", r.body)
	}
	bad.answer(http.StatusNoContent)
	if r := bad.wait(t); !strings.Contains(r.body, "LedgerFailed") {
		t.Errorf("tried again with %s", r.body)
	}
	if r := good.wait(t); !strings.Contains(r.body, `"state":"resolved"`) ||
		!strings.Contains(r.body, "AlertUndelivered") {
		t.Errorf("sent: %s", r.body)
	}
	board.Clear(health.Key{Code: fault.LedgerFailed})
	for _, h := range []*hook{good, bad} {
		if r := h.wait(t); !strings.Contains(r.body, "resolved") || !strings.Contains(r.body, "LedgerFailed") {
			t.Errorf("sent: %s", r.body)
		}
	}
	done()
}

// run runs a teller until the function it returns is called.
func run(t *testing.T, teller *served.Notifier) (stop func()) {
	ctx, cancel := withCancel(t)
	ended := make(chan error, 1)
	go func() { ended <- teller.Run(ctx, func() {}) }()
	return func() {
		cancel()
		if err := <-ended; err != nil && !errors.Is(err, ctx.Err()) {
			t.Error(err)
		}
	}
}
