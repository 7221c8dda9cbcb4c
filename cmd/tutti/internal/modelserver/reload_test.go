package modelserver

import (
	"log/slog"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/cmd/tutti/internal/media"
	"github.com/tuttinode/tutti/cmd/tutti/internal/modelconfig"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/cmd/tutti/internal/prices"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/livevideo"
)

const acme = `{"pipeline": "llm", "model_id": "acme/own", "url": "http://127.0.0.1:9", "price_per_unit": `

// TestReloadModelsAndPrices: a new file gives its entries and prices, a mistake in it
// changes nothing, and what the start had to complain of is over.
func TestReloadModelsAndPrices(t *testing.T) {
	t.Parallel()
	c := modelsConfig(t, `[`+acme+`7}, {"pipeline": "llm"}]`)
	c.Roles.Orchestrator, c.LiveAI.SampleSessions = true, 1
	board := health.New(slog.New(slog.DiscardHandler), time.Now, nil)
	env := &nodeenv.Env{Config: c, Log: slog.New(slog.DiscardHandler), Board: board}
	p := &Part{Env: env, media: media.New(env, nil), files: nodeenv.SumFiles(c), Manager: manager.New(manager.Options{})}
	p.modelGPUs.Store(&[]models.Device{})
	list, _, problems := modelconfig.Load(c, nil)
	p.Models = list
	p.reportModels(problems)
	tables, err := prices.New(prices.Options{Config: c, Board: board, Log: env.Log}, list)
	if err != nil {
		t.Fatal(err)
	}
	prepare := p.Prepare(tables.Book)
	p.Manager.Replace(modelconfig.Entries(list, false))
	if len(board.Snapshot()) == 0 {
		t.Fatal("the mistake at the start is no condition")
	}
	model := inference.Model{Capability: capability.LLM, ID: "acme/own"}
	price := func() string {
		now, _ := tables.Book.Model(core.Address{}, model)
		return now.RatString()
	}
	write := func(text string) {
		if err := os.WriteFile(c.AI.Models, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if apply, err := prepare(t.Context(), c, c); apply != nil || err != nil {
		t.Errorf("the file has not changed: %v", err)
	}
	write(`[` + acme + `8}, {"pipeline": "llm", "model_id": 5}]`)
	if _, err := prepare(t.Context(), c, c); err == nil || price() != "7" {
		t.Errorf("a mistake: %v, price %s", err, price())
	}
	write(`[` + acme + `9}]`)
	apply, err := prepare(t.Context(), c, c)
	if err != nil || price() != "7" {
		t.Fatalf("before it is taken over: %v, price %s", err, price())
	}
	apply()
	if price() != "9" || len(board.Snapshot()) != 0 {
		t.Errorf("price %s, conditions %+v", price(), board.Snapshot())
	}
	video := inference.Model{Capability: capability.LiveVideoToVideo, ID: livevideo.SampleModel}
	if _, priced := tables.Book.Model(core.Address{}, video); !priced {
		t.Error("the sample of live video has lost its price")
	}
	c.LiveAI.SampleSessions = 0
	write(`[]`)
	if _, err := prepare(t.Context(), c, c); err == nil || len(p.Manager.Models()) != 1 {
		t.Errorf("an emptied file: %v", err)
	}
	without := *c
	without.AI.Models = ""
	if apply, err = prepare(t.Context(), c, &without); err != nil {
		t.Fatal(err)
	}
	apply()
	if len(p.Manager.Models()) != 0 || len(tables.Book.Models()) != 0 {
		t.Errorf("%+v", p.Manager.Models())
	}
	if !slices.ContainsFunc(board.Snapshot(), func(c health.Condition) bool { return c.Code == fault.NoModels }) {
		t.Errorf("no entry is left, and the board says %+v", board.Snapshot())
	}
}
