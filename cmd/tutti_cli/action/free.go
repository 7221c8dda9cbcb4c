package action

import (
	"context"
	"net/url"

	"github.com/tuttinode/tutti/cmd/tutti_cli/node"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
)

// keyFree is the node's word for it that its price can only be 0.
const keyFree = "(free)"

// learnFree finds out whether the node takes a price at all, before a price is
// asked for or checked: it asks for a plan with the smallest one, dry. Any other
// problem is left to the request that matters.
func learnFree(ctx context.Context, c *verb.Call) error {
	f := c.Verb.Field("price-per-unit")
	if !c.Menu && !c.Given(f.Name) && !f.Required {
		return nil
	}
	smallest := "1"
	body := adminapi.Config{Pricing: adminapi.Pricing{PricePerUnit: &smallest}}
	err := c.Node.Post(ctx, adminapi.PathConfig, url.Values{adminapi.QueryDryRun: {"true"}}, body, nil)
	if err == nil {
		return nil
	}
	if p := node.Explain(err); p.Code == string(fault.FeatureMissing) {
		c.Put(keyFree, p.Message)
	}
	return ctx.Err()
}

// learnOffer is what reading an orchestrator's offer needs.
func learnOffer(ctx context.Context, c *verb.Call) error {
	if err := learnPrivate(ctx, c); err != nil {
		return err
	}
	return learnFree(ctx, c)
}

// onlyFree refuses a price that the node would refuse.
func onlyFree(c *verb.Call, u core.UnitPrice) error {
	why := verb.Get[string](c, keyFree)
	if why == "" || u.Price.Amount().Sign() == 0 {
		return nil
	}
	return fault.New(fault.FeatureMissing, "read the price", why)
}

// askOffer asks for cuts, price and address. A price that can only be 0 is shown
// and not asked for.
func askOffer(ctx context.Context, c *verb.Call) error {
	if err := askFields(ctx, c, "reward-cut", "fee-cut"); err != nil {
		return err
	}
	if why := verb.Get[string](c, keyFree); why != "" {
		c.Report("The price is 0: %s.", why)
	} else if err := askFields(ctx, c, "pixels-per-unit", "currency", "price-per-unit"); err != nil {
		return err
	}
	return askFields(ctx, c, "service-uri")
}
