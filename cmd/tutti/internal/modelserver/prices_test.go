package modelserver

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/media"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/cmd/tutti/internal/prices"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
)

// brought is a worker's models.
type brought []string

func (b brought) Models() (out []inference.ModelState) {
	for _, id := range b {
		out = append(out, inference.ModelState{Model: inference.Model{Capability: capability.LLM, ID: id},
			State: inference.Ready, Capacity: 1})
	}
	return out
}

func (b brought) Reserve(context.Context, inference.Model, string) (inference.Slot, error) {
	return nil, io.EOF
}

// A model that workers bring is offered at the orchestrator's price or not at all, and
// the operator is told which have none.
func TestModelsOfWorkersNeedAPrice(t *testing.T) {
	t.Parallel()
	c := modelsConfig(t, `[{"pipeline": "llm", "model_id": "acme/own", "remote": true, "price_per_unit": 7}]`)
	c.Roles.AIWorker, c.Roles.Orchestrator = false, true
	board := health.New(slog.New(slog.DiscardHandler), time.Now, nil)
	env := &nodeenv.Env{Config: c, Log: slog.New(slog.DiscardHandler), Board: board}
	work := New(t.Context(), env, media.New(env, nil))
	if len(work.Models.Entries) != 1 || work.Manager != nil {
		t.Fatalf("%+v", work)
	}
	tables, err := prices.New(prices.Options{Config: c, Board: board, Log: env.Log}, work.Models)
	if err != nil {
		t.Fatal(err)
	}
	p := &prices.Worker{Worker: brought{"acme/own", "acme/other"}, Book: tables.Book, Board: board}
	if got := p.Models(); len(got) != 1 || got[0].Model.ID != "acme/own" {
		t.Errorf("offered: %+v", got)
	}
	if s := board.Snapshot(); len(s) != 1 || s[0].Code != fault.ModelUnpriced || s[0].Detail != "llm acme/other" {
		t.Errorf("told: %+v", s)
	}
	model := func(id string) inference.Model { return inference.Model{Capability: capability.LLM, ID: id} }
	if _, err := p.Reserve(t.Context(), model("acme/other"), ""); fault.CodeOf(err) != fault.ModelNotServed {
		t.Errorf("without a price: %v", err)
	}
	if _, err := p.Reserve(t.Context(), model("acme/own"), ""); err != io.EOF {
		t.Errorf("with a price: %v", err)
	}
}
