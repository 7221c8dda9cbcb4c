package metrics_test

import (
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/metrics"
)

func TestStore(t *testing.T) {
	t.Parallel()
	m := metrics.New(metrics.Options{NodeID: "n", Version: "v"})
	leads := true
	if err := m.WatchStore(metrics.Orchestrator, func() (bool, time.Duration) {
		return leads,
			1500 * time.Millisecond
	}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"} 1\n", "} 0\n"} {
		w := httptest.NewRecorder()
		m.Handler(slog.New(slog.DiscardHandler)).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
		_, line, _ := strings.Cut(w.Body.String(), "\ntutti_store_leader{")
		if !strings.HasSuffix(line[:strings.Index(line, "\n")+1], want) || !strings.Contains(w.Body.String(), "} 1.5\n") {
			t.Errorf("want %q in %s", want, w.Body.String())
		}
		leads = false
	}
}
