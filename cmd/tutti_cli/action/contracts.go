package action

import (
	"context"

	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
)

type (
	// Contracts is `contracts show`.
	Contracts struct{ adminapi.Contracts }
	// ContractsConfirm is `contracts confirm`: the contracts as they are then, or as
	// they are before where nothing was changed.
	ContractsConfirm struct {
		adminapi.Contracts
		DryRun bool `json:"dryRun"`
	}
)

func contractVerbs() verb.Table {
	return verb.Table{
		{Name: "contracts show", Chain: true,
			Short:  "The contracts that the node's key signs for, and what the endpoints answer.",
			Result: Contracts{}, Run: runContracts},
		{Name: "contracts confirm", Chain: true, Changes: true,
			Short:  "Trust the contracts that the endpoints answer now, after comparing them elsewhere.",
			Result: ContractsConfirm{}, Run: runConfirm},
	}
}

func runContracts(ctx context.Context, c *verb.Call) (verb.Result, error) {
	var out adminapi.Contracts
	err := c.Node.Get(ctx, adminapi.PathContracts, &out)
	return Contracts{out}, err
}

func runConfirm(ctx context.Context, c *verb.Call) (verb.Result, error) {
	var now adminapi.Contracts
	if err := c.Node.Get(ctx, adminapi.PathContracts, &now); err != nil {
		return nil, err
	}
	if !now.Changed {
		return nil, fault.New(fault.ContractsUnchanged, "confirm the contracts", "")
	}
	if c.Set.DryRun {
		return ContractsConfirm{now, true}, nil
	}
	var seen adminapi.ContractsConfirmation
	for _, one := range now.Contracts {
		if one.Trusted != one.Answered {
			c.Report("%s: %s, before %s", one.Name, addressText(one.Answered), addressText(one.Trusted))
		}
		if !one.Answered.IsZero() {
			seen.Contracts = append(seen.Contracts, adminapi.ConfirmedContract{Name: one.Name, Address: one.Answered})
		}
	}
	if err := c.Agree(ctx, "Have the node's key sign for these contracts?"); err != nil {
		return nil, err
	}
	var out adminapi.Contracts
	err := c.Node.Post(ctx, adminapi.PathContractsConfirm, nil, seen, &out)
	return ContractsConfirm{out, false}, err
}

func addressText(a core.Address) string {
	if a.IsZero() {
		return "none"
	}
	return a.String()
}

func printContracts(p *console.Page, all adminapi.Contracts) {
	p.Title("CONTRACTS")
	rows := make([][]string, 0, len(all.Contracts))
	for _, one := range all.Contracts {
		rows = append(rows, []string{one.Name, addressText(one.Trusted), addressText(one.Answered)})
	}
	p.Table([]string{"CONTRACT", "SIGNED FOR", "ANSWERED NOW"}, rows)
	if all.Changed {
		p.Row("Changed", "yes; nothing is signed until it is decided")
	}
}

// Print writes the contracts.
func (a Contracts) Print(p *console.Page) {
	defer p.Flush()
	printContracts(p, a.Contracts)
}

// Print writes the contracts.
func (a ContractsConfirm) Print(p *console.Page) {
	defer p.Flush()
	printContracts(p, a.Contracts)
	if a.DryRun {
		p.Row("Changed", "nothing (dry run)")
	}
}
