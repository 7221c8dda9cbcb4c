package action

import (
	"context"

	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
)

// Gas is `gas show` and what the changes of the bounds answer.
type Gas struct {
	adminapi.Gas
	DryRun bool `json:"dryRun"`
}

func printGas(p *console.Page, g adminapi.Gas) {
	bound := func(w core.Wei) string {
		if w.IsZero() {
			return "none"
		}
		return verb.FormatGasPrice(w)
	}
	p.Row("Gas price", verb.FormatGasPrice(g.Current))
	p.Row("Minimum gas price", bound(g.Min))
	p.Row("Maximum gas price", bound(g.Max))
}

// Print writes price and bounds.
func (g Gas) Print(p *console.Page) {
	defer p.Flush()
	p.Title("GAS")
	printGas(p, g.Gas)
	if g.DryRun {
		p.Row("Changed", "nothing (dry run)")
	}
}

func gasShow() *verb.Verb {
	return &verb.Verb{Name: "gas show", Chain: true, Short: "The price of gas, and the bounds on what is paid.",
		Result: Gas{},
		Run:    read(adminapi.PathGas, func(g adminapi.Gas) Gas { return Gas{Gas: g} })}
}

// keyGas is the price of gas, which bounds are checked by.
const keyGas = "(gas)"

func learnGas(ctx context.Context, c *verb.Call) error {
	var g adminapi.Gas
	err := c.Node.Get(ctx, adminapi.PathGas, &g)
	c.Put(keyGas, g)
	return err
}

func gasField(name, help, question string) verb.Field {
	return verb.Field{Name: name, Meta: "PRICE", Help: help + ": wei, or with a unit, 0.1gwei; 0 is no bound",
		Question: question,
		Parse: func(c *verb.Call, text string, check verb.InputCheck) (any, error) {
			return verb.ParseGasBound(text, name == "max", verb.Get[adminapi.Gas](c, keyGas).Current, check)
		}}
}

func gasSet() *verb.Verb {
	return &verb.Verb{Name: "gas set", Chain: true, Changes: true,
		Short: "Bound the price of gas until the next restart.", Result: Gas{}, Before: learnGas,
		Fields: []verb.Field{gasField("min", "the lowest price to offer", ""),
			gasField("max", "the highest price to pay", "")}, Run: runGas}
}

func gasBound(name, menu, short, question, field string) *verb.Verb {
	f := gasField(field, "the bound", question)
	f.Word, f.Required = true, true
	return &verb.Verb{Name: name, Menu: menu, Chain: true, Changes: true, Short: short, Result: Gas{},
		Fields: []verb.Field{f}, Before: learnGas, Run: runGas,
		Ask: func(ctx context.Context, c *verb.Call) error {
			Gas{Gas: verb.Get[adminapi.Gas](c, keyGas)}.Print(c.TellPage())
			return c.AskField(ctx, field)
		}}
}

func gasMax() *verb.Verb {
	return gasBound("gas max", "Set maximum Ethereum gas price", "Pay at most this for gas, until the next restart.",
		"Maximum gas price in wei, 0 for none", "max")
}

func gasMin() *verb.Verb {
	return gasBound("gas min", "Set minimum Ethereum gas price", "Offer at least this for gas, until the next restart.",
		"Minimum gas price in wei, 0 for none", "min")
}

func runGas(ctx context.Context, c *verb.Call) (verb.Result, error) {
	change := adminapi.GasChange{Min: verb.Ref[core.Wei](c, "min"), Max: verb.Ref[core.Wei](c, "max")}
	if change.Min == nil && change.Max == nil {
		return nil, verb.Mistake("give --min, --max or both")
	}
	if change.Min != nil && change.Max != nil && !change.Max.IsZero() && change.Min.Cmp(*change.Max) > 0 {
		return nil, verb.Mistake("--min is above --max")
	}
	var g adminapi.Gas
	if err := c.Node.Get(ctx, adminapi.PathGas, &g); err != nil || c.Set.DryRun {
		return Gas{g, true}, err
	}
	if err := c.Agree(ctx, "Change the bounds?"); err != nil {
		return nil, err
	}
	if err := c.Node.Post(ctx, adminapi.PathGas, nil, change, nil); err != nil {
		return nil, err
	}
	err := c.Node.Get(ctx, adminapi.PathGas, &g)
	return Gas{Gas: g}, err
}
