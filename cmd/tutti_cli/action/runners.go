package action

import (
	"context"
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core/adminapi"
)

// Runners is `runners list` and what the verbs that change one answer.
type Runners struct {
	adminapi.LiveRunners
	DryRun bool `json:"dryRun"`
}

// RunnerCheck is `runners check`, which fails where a runner is not ready.
type RunnerCheck struct{ Runners }

// Failed reports whether a runner is not ready.
func (r RunnerCheck) Failed() bool {
	for i := range r.LiveRunners.Runners {
		if r.LiveRunners.Runners[i].State == adminapi.RunnerNotReady {
			return true
		}
	}
	return false
}

func runnerVerbs() []*verb.Verb {
	return []*verb.Verb{
		{Name: "runners list", For: verb.Orchestrators, Result: Runners{},
			Short: "The live runners: state, sessions, devices.",
			Run: func(ctx context.Context, c *verb.Call) (verb.Result, error) {
				var r Runners
				err := c.Node.Get(ctx, adminapi.PathRunners, &r.LiveRunners)
				return r, err
			}},
		{Name: "runners check", For: verb.Orchestrators, Result: RunnerCheck{},
			Short:  "Ask live runners for their health now; fails where one is not ready.",
			Fields: []verb.Field{runnerField(false)},
			Run: func(ctx context.Context, c *verb.Call) (verb.Result, error) {
				var in adminapi.LiveRunnerName
				if c.Has("name") {
					in.Name = verb.Get[string](c, "name")
				}
				var r RunnerCheck
				err := c.Node.Post(ctx, adminapi.PathRunnerCheck, nil, in, &r.LiveRunners)
				r.LiveRunners.Runners = onlyRunner(r.LiveRunners.Runners, in.Name)
				return r, err
			}},
		runnerVerb("drain", true, "Give a live runner no new sessions; those that it has go on to their end."),
		runnerVerb("resume", false, "Give a drained live runner new sessions again."),
	}
}

func runnerField(required bool) verb.Field {
	f := verb.Field{Name: "name", Word: true, Required: required, Meta: "RUNNER",
		Help:  "its label or id, as `runners list` has it",
		Parse: func(_ *verb.Call, text string, _ verb.InputCheck) (any, error) { return text, nil }}
	if required {
		f.Question = "Runner"
	}
	return f
}

func runnerVerb(name string, drain bool, short string) *verb.Verb {
	return &verb.Verb{Name: "runners " + name, For: verb.Orchestrators, Changes: true, Short: short,
		Fields: []verb.Field{runnerField(true)}, Result: Runners{},
		Run: func(ctx context.Context, c *verb.Call) (verb.Result, error) {
			r := Runners{DryRun: c.Set.DryRun}
			if c.Set.DryRun {
				err := c.Node.Get(ctx, adminapi.PathRunners, &r.LiveRunners)
				return r, err
			}
			change := adminapi.LiveRunnerChange{Name: verb.Get[string](c, "name"), Drain: drain}
			err := c.Node.Post(ctx, adminapi.PathRunner, nil, change, &r.LiveRunners)
			return r, err
		}}
}

// onlyRunner keeps the runner of a label or id; "" keeps all.
func onlyRunner(all []adminapi.LiveRunner, name string) []adminapi.LiveRunner {
	for i := range all {
		if name != "" && (all[i].Label == name || all[i].ID == name) {
			return all[i : i+1]
		}
	}
	return all
}

// Print writes a table.
func (r Runners) Print(p *console.Page) {
	defer p.Flush()
	p.Title("LIVE RUNNERS")
	list := r.LiveRunners.Runners
	var rows [][]string
	for i := range list {
		l := &list[i]
		rows = append(rows, []string{
			l.ID, l.Label, l.App, l.Kind, l.State, of(l.Sessions, l.Limit), strings.Join(l.Devices, " "),
			strconv.Itoa(l.Restarts), l.Address,
		})
	}
	if len(rows) == 0 {
		p.Row("None", "no live runner is registered")
	} else {
		p.Table([]string{"Id", "Label", "App", "Kind", "State", "Sessions", "Devices", "Restarts", "Address"}, rows)
	}
	for i := range list {
		if list[i].Reason != "" {
			p.Row(list[i].ID, strings.TrimSpace(list[i].Code+" "+list[i].Reason))
		}
	}
	if r.DryRun {
		p.Row("Changed", "nothing (dry run)")
	}
}
