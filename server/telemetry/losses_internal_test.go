package telemetry

import (
	"log/slog"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

func TestLosses(t *testing.T) {
	t.Parallel()
	board := health.New(slog.New(slog.DiscardHandler), time.Now, nil)
	l := newLosses(board, health.Key{Code: fault.EventsLost, About: "kafka"})
	detail := func() string {
		for _, c := range board.Snapshot() {
			if c.Code == fault.EventsLost && c.About == "kafka" {
				return c.Detail
			}
		}
		return ""
	}
	l.Failed("full")
	if got := detail(); got != "full" {
		t.Fatalf("after a loss: %q", got)
	}
	l.Failed("refused") // the second reason waits for the next interval
	if got := detail(); got != "full" {
		t.Errorf("reasons that alternate: %q", got)
	}
	l.Delivered()
	l.Check()
	if detail() == "" {
		t.Error("cleared in an interval with losses")
	}
	l.Failed("refused")
	if got := detail(); got != "refused" {
		t.Errorf("the next interval: %q", got)
	}
	l.Check()
	l.Check()
	if detail() == "" {
		t.Error("cleared without a delivery")
	}
	l.Delivered()
	l.Check()
	if got := detail(); got != "" {
		t.Errorf("after a delivery: %q", got)
	}
}
