package main

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/media"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// A gateway that nobody answers is told of, on the board and at its door, and is ready
// all the same.
func TestAGatewayThatNobodyAnswers(t *testing.T) {
	t.Parallel()
	env := &nodeenv.Env{Config: &config.Config{}, Board: health.New(slog.New(slog.DiscardHandler), time.Now, nil)}
	n := &node{Env: env, media: media.New(env, nil)}
	answers, of, known := false, 1, false
	a := &answerCheck{board: n.Board, look: func(context.Context) (bool, int, bool) { return answers, of, known }}
	shut := func() bool {
		a.once(t.Context())
		d := n.streamsDoor(0, 10)
		if d.Open == (d.Code == string(fault.NoOrchestratorReachable)) || d.Open == (d.Reason != "") || d.Open != n.Board.Healthy() {
			t.Errorf("%+v", d)
		}
		for _, why := range n.notReady() {
			if strings.HasPrefix(why, "NoOrchestrator") {
				t.Error("it is not ready: ", why)
			}
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
