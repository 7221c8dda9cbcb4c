package metrics_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/server/metrics"
)

func TestConditions(t *testing.T) {
	t.Parallel()
	board := health.New(slog.New(slog.DiscardHandler), time.Now, nil)
	m := metrics.New(metrics.Options{NodeID: "id"})
	if err := m.WatchConditions(board); err != nil {
		t.Fatal(err)
	}
	key := health.Key{Code: fault.WorkerQuarantined, About: "gpu 0"}
	board.Set(key, "crashed")
	board.Set(health.Key{Code: fault.WorkerQuarantined, About: "gpu 0\xff"}, "crashed")
	const want = `tutti_condition{about="gpu 0",code="WorkerQuarantined",node_id="id",node_type="dflt",` +
		`severity="critical"} 1`
	if text := scrape(t, m); strings.Count(text, want) != 1 || strings.Count(text, "tutti_condition{") != 1 {
		t.Errorf("%s is not there once:\n%s", want, text)
	}
	board.Clear(key)
	board.Clear(health.Key{Code: fault.WorkerQuarantined, About: "gpu 0\xff"})
	if strings.Contains(scrape(t, m), "tutti_condition{") {
		t.Error("a cleared condition is still shown")
	}
}
