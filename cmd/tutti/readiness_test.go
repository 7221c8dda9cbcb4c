package main

import (
	"log/slog"
	"testing"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/media"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// A node of no role that has work is ready unless a condition says that it takes none.
func TestNotReady(t *testing.T) {
	t.Parallel()
	env := &nodeenv.Env{Config: &config.Config{}, Board: health.New(slog.New(slog.DiscardHandler), time.Now, nil)}
	n := &node{Env: env, media: media.New(env, nil)}
	if why := n.notReady(); len(why) != 0 {
		t.Errorf("%q", why)
	}
	n.Board.Set(health.Key{Code: fault.GPUThrottled}, "hot")
	n.Board.Set(health.Key{Code: fault.NoOrchestratorReachable}, "none of 2 orchestrators answers")
	n.Board.Set(health.Key{Code: fault.LedgerFailed, About: "a"}, "refused")
	n.Board.Set(health.Key{Code: fault.LedgerFailed, About: "b"}, "refused, too")
	if why := n.notReady(); len(why) != 1 || why[0] != "LedgerFailed: refused" {
		t.Errorf("%q", why)
	}
}
