package action

import (
	"context"

	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core/adminapi"
)

// Settings is what `sessions set` answers.
type Settings struct {
	adminapi.Settings
	DryRun bool `json:"dryRun"`
}

func sessionsSet() *verb.Verb {
	limit := verb.Field{Name: "max", Word: true, Required: true, Meta: "N|auto",
		Help: "sessions at once, or auto for what the machine is measured to do", Question: "Maximum sessions, or auto",
		Parse: func(_ *verb.Call, text string, _ verb.InputCheck) (any, error) {
			m := adminapi.MaxSessions(text)
			_, err := m.Number()
			return m, err
		}}
	return &verb.Verb{Name: "sessions set", Menu: "Set maximum sessions", For: verb.Orchestrators, Changes: true,
		Short:  "Limit concurrent sessions until the next restart.",
		Fields: []verb.Field{limit}, Result: Settings{}, Run: runSessions}
}

func runSessions(ctx context.Context, c *verb.Call) (verb.Result, error) {
	var s adminapi.Settings
	if err := c.Node.Get(ctx, adminapi.PathSettings, &s); err != nil || c.Set.DryRun {
		return Settings{s, true}, err
	}
	if err := c.Agree(ctx, "Change the limit?"); err != nil {
		return nil, err
	}
	limit := verb.Get[adminapi.MaxSessions](c, "max")
	if err := c.Node.Post(ctx, adminapi.PathSettings, nil, adminapi.SettingsChange{MaxSessions: &limit}, nil); err != nil {
		return nil, err
	}
	err := c.Node.Get(ctx, adminapi.PathSettings, &s)
	return Settings{Settings: s}, err
}

// Print writes the settings.
func (s Settings) Print(p *console.Page) {
	defer p.Flush()
	p.Row("Maximum sessions", s.MaxSessions)
	if s.DryRun {
		p.Row("Changed", "nothing (dry run)")
	}
}
