package action

import (
	"context"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
)

func runForgive(ctx context.Context, c *verb.Call) (verb.Result, error) {
	name := verb.Get[string](c, "orchestrator")
	var before adminapi.Credits
	if err := c.Node.Get(ctx, adminapi.PathCredits, &before); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(before.Credits, func(k adminapi.Credit) bool {
		return strings.EqualFold(k.Orchestrator,
			name)
	})
	if i < 0 {
		return nil, fault.New(fault.CreditUnknown, "forgive an orchestrator", name)
	}
	credit := before.Credits[i]
	if c.Set.DryRun {
		return Forgiven{credit, true}, nil
	}
	c.Report("%s was paid %s that it has not worked for.", credit.Orchestrator, verb.FormatEther(credit.Unworked))
	if err := c.Agree(ctx, "Write it off, and pay this orchestrator again?"); err != nil {
		return nil, err
	}
	var after adminapi.Credits
	err := c.Node.Post(ctx, adminapi.PathForgive, nil, adminapi.Forgiveness{Orchestrator: credit.Orchestrator}, &after)
	return Forgiven{Credit: credit}, err
}

// Print writes a row for each orchestrator.
func (a Credits) Print(p *console.Page) {
	defer p.Flush()
	p.Title("PAID AND NOT WORKED FOR")
	if len(a.Credits.Credits) == 0 {
		p.Line("No orchestrator was paid recently.")
		return
	}
	var rows [][]string
	for _, k := range a.Credits.Credits {
		state := "paid"
		if k.Stopped {
			state = "stopped"
		}
		rows = append(rows, []string{k.Orchestrator, verb.FormatEther(k.Unworked), verb.FormatEther(k.InProgress),
			verb.FormatEther(k.Bound), verb.FormatEther(k.Balance), state})
	}
	p.Table([]string{"ORCHESTRATOR", "NO WORK", "IN PROGRESS", "AT MOST", "BALANCE", "STATE"}, rows)
}

// Print says what was written off.
func (a Forgiven) Print(p *console.Page) {
	defer p.Flush()
	done := "is written off"
	if a.DryRun {
		done = "would be written off"
	}
	p.Line("%s of %s %s.", verb.FormatEther(a.Credit.Unworked), a.Credit.Orchestrator, done)
}
