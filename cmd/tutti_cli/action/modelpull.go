package action

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"

	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/node"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
)

const opPull = "pull a model"

// ModelPull is what `models pull` answers.
type ModelPull struct {
	adminapi.ModelPull
	DryRun bool `json:"dryRun"`
}

func modelPullVerb() *verb.Verb {
	return &verb.Verb{Name: "models pull", For: verb.Orchestrators, Changes: true,
		Short: "Fetch what a model of this machine needs before its first job: its container's image, its weights.",
		Long: "Weights are fetched by an Ollama server behind the entry's url, or by the model's container where the entry " +
			"lets it download; the container is stopped afterwards. Others are named with what to do. " +
			"Ctrl-C ends the pull; what has arrived is kept.",
		Fields: modelFields(), Result: ModelPull{}, Run: pullModel}
}

func pullModel(ctx context.Context, c *verb.Call) (verb.Result, error) {
	query := url.Values{}
	if c.Set.DryRun {
		query.Set(adminapi.QueryDryRun, "true")
	}
	p := pulling{c: c}
	err := c.Node.Lines(ctx, adminapi.PathModelPull, query, modelName(c), p.line)
	switch {
	case ctx.Err() != nil && p.result == nil:
		return nil, fault.New(fault.PullInterrupted, opPull,
			"the pull was interrupted; the node goes on only with an image that it is fetching for itself")
	case err != nil:
		return nil, err
	case p.result == nil:
		return nil, fault.New(fault.NodeUnreachable, opPull, "the node closed the connection before the pull was complete")
	}
	return ModelPull{*p.result, c.Set.DryRun}, nil
}

// pulling reads what is answered while a model is pulled.
type pulling struct {
	c      *verb.Call
	shown  string
	result *adminapi.ModelPull
}

func (p *pulling) line(text []byte) error {
	var line adminapi.ModelPullLine
	if err := json.Unmarshal(text, &line); err != nil {
		return fault.Wrap(fault.NodeAnswerUnreadable, "read the progress of a pull", err)
	}
	switch {
	case line.Error != nil:
		return node.FromAPI(line.Error)
	case line.Result != nil:
		p.result = line.Result
	case line.Progress != nil && !p.c.Set.JSON:
		if now := progressText(line.Progress); now != p.shown {
			p.shown = now
			p.c.Report("%s", now)
		}
	}
	return nil
}

// progressText returns the progress of a part in steps of ten percent, so that a pull has few
// lines.
func progressText(p *adminapi.ModelPullProgress) string {
	text := "Pulling " + p.Kind + " " + p.Name
	if p.TotalBytes > 0 {
		text += fmt.Sprintf(": %d %%", 10*int(10*float64(p.DoneBytes)/float64(p.TotalBytes)))
	}
	if p.Layers > 0 {
		text += fmt.Sprintf(", %d of %d layers complete", p.LayersReady, p.Layers)
	}
	return text
}

// Print writes a block for each part.
func (m ModelPull) Print(p *console.Page) {
	defer p.Flush()
	p.Row("Model", m.Pipeline+" "+m.ModelPull.Model)
	for _, part := range m.Parts {
		p.Row(part.Kind, part.Name+" ("+part.State+")")
		if part.Digest != "" {
			p.Row("Digest", part.Digest)
		}
		if part.ToDo != "" {
			p.Row("To do", part.ToDo)
		}
	}
	if m.DryRun {
		p.Row("Changed", "nothing (dry run)")
	}
}
