package action

import (
	"context"
	"strconv"

	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core/adminapi"
)

// Capabilities is `capabilities list`, and what the verb that removes one answers.
type Capabilities struct {
	adminapi.Capabilities
	DryRun bool `json:"dryRun"`
}

func capabilityVerbs() []*verb.Verb {
	name := verb.Field{Name: "name", Word: true, Required: true, Meta: "CAPABILITY", Question: "Capability",
		Help:  "its name, as `capabilities list` has it",
		Parse: func(_ *verb.Call, text string, _ verb.InputCheck) (any, error) { return text, nil }}
	return []*verb.Verb{
		{Name: "capabilities list", For: verb.Orchestrators, Result: Capabilities{},
			Short: "The external capabilities: state, slots, prices, what they earned.",
			Run: func(ctx context.Context, c *verb.Call) (verb.Result, error) {
				var r Capabilities
				err := c.Node.Get(ctx, adminapi.PathCapabilities, &r.Capabilities)
				return r, err
			}},
		{Name: "capabilities remove", For: verb.Orchestrators, Changes: true, Result: Capabilities{},
			Short:  "Remove an external capability; work in progress goes on. One that registers again is back.",
			Fields: []verb.Field{name},
			Run: func(ctx context.Context, c *verb.Call) (verb.Result, error) {
				r := Capabilities{DryRun: c.Set.DryRun}
				if c.Set.DryRun {
					err := c.Node.Get(ctx, adminapi.PathCapabilities, &r.Capabilities)
					return r, err
				}
				in := adminapi.CapabilityName{Name: verb.Get[string](c, "name")}
				err := c.Node.Post(ctx, adminapi.PathCapabilityRemove, nil, in, &r.Capabilities)
				return r, err
			}},
	}
}

// Print writes a table.
func (r Capabilities) Print(p *console.Page) {
	defer p.Flush()
	p.Title("EXTERNAL CAPABILITIES")
	list := r.Capabilities.Capabilities
	var rows [][]string
	for i := range list {
		c := &list[i]
		price := c.Price
		switch {
		case price != "":
			price += " wei"
		case c.Listed == "":
			price = "free"
		default:
			price = c.Listed
		}
		rows = append(rows, []string{
			c.Name, c.State, of(c.InUse, c.Capacity), price, strconv.FormatInt(c.Jobs, 10),
			strconv.FormatInt(c.Seconds, 10), c.Earned.Ether() + " ETH", c.Address,
		})
	}
	if len(rows) == 0 {
		p.Row("None", "no external capability is registered")
	} else {
		p.Table([]string{"Name", "State", "In use", "Price of a second", "Jobs", "Seconds", "Earned", "Address"}, rows)
	}
	for i := range list {
		if list[i].Reason != "" {
			p.Row(list[i].Name, list[i].Reason)
		}
	}
	if r.DryRun {
		p.Row("Changed", "nothing (dry run)")
	}
}
