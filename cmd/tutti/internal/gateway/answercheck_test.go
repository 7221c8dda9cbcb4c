package gateway

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// A gateway that no orchestrator answers reports it on the board and on the dashboard.
func TestAGatewayWithoutAnswers(t *testing.T) {
	t.Parallel()
	board := health.New(slog.New(slog.DiscardHandler), time.Now, nil)
	answers, of, known := false, 1, false
	a := &answerCheck{board: board, ask: func(context.Context) (bool, int, bool) { return answers, of, known }}
	shut := func() bool {
		a.once(t.Context())
		d := streamWork(board, 0, 10)
		if d.Open == (d.Code == string(fault.NoOrchestratorReachable)) || d.Open == (d.Reason != "") ||
			d.Open != board.Healthy() {
			t.Errorf("%+v", d)
		}
		return !d.Open
	}
	if shut() {
		t.Error("it has asked nobody yet")
	}
	if known = true; !shut() {
		t.Error("the only one does not answer")
	}
	if answers = true; shut() {
		t.Error("it answers again")
	}
	if answers, of = false, 0; !shut() {
		t.Error("there is none")
	}
}
