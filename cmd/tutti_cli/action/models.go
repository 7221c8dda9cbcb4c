package action

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core/adminapi"
)

// Models is `models list`, and what `models warm` and `models cool` answer.
type Models struct {
	adminapi.Models
	DryRun bool `json:"dryRun"`
}

// ModelTest is what `models test` answers.
type ModelTest struct {
	adminapi.ModelTest
	DryRun bool `json:"dryRun"`
}

func modelVerbs() []*verb.Verb {
	return []*verb.Verb{
		{Name: "models list", Result: Models{}, Run: listModels,
			Short: "The AI models of this machine and of workers on other machines: state, slots, price."},
		modelStateVerb("warm", true, "Load a model and keep it loaded, until the next start."),
		modelStateVerb("cool", false, "Unload a model, so that the next job loads it again; jobs in progress end first."),
		{Name: "models test", Changes: true, Short: "Give a model of this machine a small job without payment.",
			Long:   "A model that is not loaded is loaded for it. Pipelines that need a file are tested through a gateway.",
			Fields: modelFields(), Result: ModelTest{}, Run: testModel},
		modelPullVerb(),
	}
}

func modelFields() []verb.Field {
	text := func(_ *verb.Call, text string, _ verb.InputCheck) (any, error) { return text, nil }
	return []verb.Field{
		{Name: "model", Word: true, Required: true, Meta: "MODEL", Help: "as `models list` shows it", Question: "Model",
			Parse: text},
		{Name: "pipeline", Meta: "PIPELINE", Help: "for a model with several pipelines", Parse: text},
	}
}

func modelName(c *verb.Call) adminapi.ModelName {
	name := adminapi.ModelName{Model: verb.Get[string](c, "model")}
	if c.Has("pipeline") {
		name.Pipeline = verb.Get[string](c, "pipeline")
	}
	return name
}

func listModels(ctx context.Context, c *verb.Call) (verb.Result, error) {
	var out Models
	err := c.Node.Get(ctx, adminapi.PathModels, &out.Models)
	return out, err
}

func modelStateVerb(name string, warm bool, short string) *verb.Verb {
	return &verb.Verb{Name: "models " + name, For: verb.Orchestrators, Changes: true, Short: short,
		Long: "A reload that changes the model's `warm` in aiModels.json ends it, too. A server behind a url loads its " +
			"models itself.",
		Fields: modelFields(), Result: Models{},
		Run: func(ctx context.Context, c *verb.Call) (verb.Result, error) {
			out := Models{DryRun: c.Set.DryRun}
			if c.Set.DryRun {
				err := c.Node.Get(ctx, adminapi.PathModels, &out.Models)
				return out, err
			}
			err := c.Node.Post(ctx, adminapi.PathModelState, nil, adminapi.ModelChange{ModelName: modelName(c), Warm: warm},
				&out.Models)
			return out, err
		}}
}

func testModel(ctx context.Context, c *verb.Call) (verb.Result, error) {
	name := modelName(c)
	if c.Set.DryRun {
		return ModelTest{adminapi.ModelTest{Pipeline: name.Pipeline, Model: name.Model}, true}, nil
	}
	var out ModelTest
	err := c.Node.Post(ctx, adminapi.PathModelTest, nil, name, &out.ModelTest)
	return out, err
}

// Print writes a table.
func (m Models) Print(p *console.Page) {
	defer p.Flush()
	p.Title("AI MODELS")
	var rows [][]string
	for i := range m.Models.Models {
		rows = append(rows, modelRow(&m.Models.Models[i]))
	}
	if len(rows) == 0 {
		p.Row("None", "no entry of aiModels.json is served, and no worker has registered with models")
	} else {
		p.Table([]string{"Pipeline", "Model", "State", "Loaded", "In use", "Waiting", "On", "Wei per unit"}, rows)
	}
	for i := range m.Models.Models {
		one := &m.Models.Models[i]
		if text := strings.TrimSpace(one.Progress + " " + one.Code + " " + one.Reason); text != "" {
			p.Row(one.Model, text)
		}
	}
	if m.DryRun {
		p.Row("Changed", "nothing (dry run)")
	}
}

func modelRow(m *adminapi.ServedModel) []string {
	loaded := "on demand"
	switch {
	case m.External:
		loaded = "by its server"
	case m.Warm:
		loaded = "always"
	}
	price := "–"
	if m.WeiPerUnit != nil {
		price = *m.WeiPerUnit
	}
	on := strings.Join(m.Devices, ", ")
	if on == "" {
		on = "–"
	}
	return []string{m.Pipeline, m.Model, m.State, loaded, of(m.InUse, m.Capacity), strconv.Itoa(m.Waiting), on, price}
}

// Print writes how long it took.
func (t ModelTest) Print(p *console.Page) {
	defer p.Flush()
	if t.DryRun {
		p.Row("Changed", "nothing (dry run)")
		return
	}
	p.Row("Model", t.Pipeline+" "+t.ModelTest.Model)
	p.Row("Answered by", t.Worker)
	p.Row("Answer", strconv.Itoa(t.Status)+", "+strconv.FormatInt(t.Bytes, 10)+" bytes")
	p.Row("Wait for a slot", (time.Duration(t.WaitMilliseconds) * time.Millisecond).String())
	p.Row("Until complete", (time.Duration(t.Milliseconds) * time.Millisecond).String())
}
