package adminview

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
	p := &Parts{Env: env, Media: media.New(env, nil)}
	if why := NotReady(p); len(why) != 0 {
		t.Errorf("%q", why)
	}
	p.Board.Set(health.Key{Code: fault.GPUThrottled}, "hot")
	p.Board.Set(health.Key{Code: fault.NoOrchestratorReachable}, "none of 2 orchestrators answers")
	p.Board.Set(health.Key{Code: fault.LedgerFailed, About: "a"}, "refused")
	p.Board.Set(health.Key{Code: fault.LedgerFailed, About: "b"}, "refused, too")
	if why := NotReady(p); len(why) != 1 || why[0] != "LedgerFailed: refused" {
		t.Errorf("%q", why)
	}
}
