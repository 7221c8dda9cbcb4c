package action

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
)

// PriceList is `price list`: what an orchestrator asks, the most that a gateway pays.
// What the node is not is null.
type PriceList struct {
	Prices *adminapi.Prices      `json:"prices"`
	Limits *adminapi.PriceLimits `json:"limits"`
}

func priceList() *verb.Verb {
	return &verb.Verb{Name: "price list", Chain: true,
		Short: "What the orchestrator asks and quotes now, or the most that a gateway pays.", Result: PriceList{},
		Run: func(ctx context.Context, c *verb.Call) (verb.Result, error) {
			about, err := c.About(ctx)
			if err != nil {
				return nil, err
			}
			var out PriceList
			gateway := slices.Contains(about.Roles, "gateway")
			if !gateway || verb.IsOrchestrator(about) {
				out.Prices = new(adminapi.Prices)
				if err := c.Node.Get(ctx, adminapi.PathPrices, out.Prices); err != nil {
					return nil, err
				}
			}
			if gateway {
				out.Limits = new(adminapi.PriceLimits)
				err = c.Node.Get(ctx, adminapi.PathPriceLimits, out.Limits)
			}
			return out, err
		}}
}

// Print writes what there is.
func (a PriceList) Print(p *console.Page) {
	defer p.Flush()
	if a.Prices != nil {
		printPrices(p, a.Prices)
	}
	if a.Limits != nil {
		printLimits(p, a.Limits)
	}
}

func printPrices(p *console.Page, a *adminapi.Prices) {
	p.Title("PRICES ASKED")
	var rows [][]string
	for i := range a.Prices {
		l := &a.Prices[i]
		gateway := "other gateways"
		if l.Gateway != nil {
			gateway = l.Gateway.String()
		}
		rows = append(rows, []string{workText(l.Pipeline, l.Model, "transcoding"), gateway, asSet(l), weiText(l.WeiPerPixel)})
	}
	p.Table([]string{"WORK", "GATEWAY", "PRICE", "PER PIXEL OR UNIT"}, rows)
	p.Row("Redeeming is added", noYes(a.AutoAdjust))
	if t := a.Tickets; t != nil {
		p.Row("A ticket is to be worth", verb.FormatEther(t.TicketEV))
		p.Row("A ticket pays at most", orNoBound(t.MaxFaceValue))
	}
	if len(a.Quotes) == 0 {
		return
	}
	p.Title("QUOTED NOW")
	rows = nil
	for i := range a.Quotes {
		q := &a.Quotes[i]
		price, more := weiText(q.WeiPerUnit), fmt.Sprintf("+ %.1f %%", 100*q.Overhead)
		if q.Problem != "" {
			price, more = "no quote: "+q.Problem, "-"
		}
		rows = append(rows, []string{q.Gateway.String(), workText(q.Pipeline, q.Model, "transcoding"), price, more})
	}
	p.Table([]string{"GATEWAY", "WORK", "PER PIXEL OR UNIT", "OF IT REDEEMING"}, rows)
}

func printLimits(p *console.Page, a *adminapi.PriceLimits) {
	p.Title("HIGHEST PRICES PAID")
	var rows [][]string
	for i := range a.Limits {
		l := &a.Limits[i]
		price, wei := asSet(l), weiText(l.WeiPerPixel)
		if free(l) {
			price, wei = "no limit", "-"
		}
		rows = append(rows, []string{workText(l.Pipeline, l.Model, "everything else"), price, wei})
	}
	p.Table([]string{"WORK", "AT MOST", "PER PIXEL OR UNIT"}, rows)
	if t := a.Tickets; t != nil {
		p.Row("A ticket is worth at most", verb.FormatEther(t.MaxTicketEV))
		p.Row("A payment's tickets at most", verb.FormatEther(t.MaxTotalEV))
		p.Row("A ticket pays at most", fmt.Sprintf("the deposit / %d", t.DepositMultiplier))
	}
}

func orNoBound(w core.Wei) string {
	if w.IsZero() {
		return "no bound"
	}
	return verb.FormatEther(w)
}

func workText(pipeline, model, all string) string {
	switch {
	case pipeline == "":
		return all
	case model == "":
		return pipeline + ", every model"
	}
	return pipeline + " " + model
}

func free(l *adminapi.Price) bool { return strings.Trim(l.PricePerUnit, "0.") == "" }

// asSet returns a price as the operator set it.
func asSet(l *adminapi.Price) string {
	currency, unit := l.Currency, "unit"
	if currency == "" {
		currency = "wei"
	}
	if l.Pipeline == "" {
		unit = "pixel"
	}
	switch {
	case free(l):
		return "free"
	case l.PixelsPerUnit == 1:
		return fmt.Sprintf("%s %s per %s", l.PricePerUnit, currency, unit)
	}
	return fmt.Sprintf("%s %s per %d %ss", l.PricePerUnit, currency, l.PixelsPerUnit, unit)
}

// weiText returns the price of one unit as a decimal number.
func weiText(text *string) string {
	if text == nil {
		return "the rate is not known"
	}
	r, ok := new(big.Rat).SetString(*text)
	if !ok {
		return *text + " wei"
	}
	if r.IsInt() {
		return r.Num().String() + " wei"
	}
	shown := strings.TrimRight(strings.TrimRight(r.FloatString(6), "0"), ".")
	if shown == "0" {
		return "less than 0.000001 wei"
	}
	return shown + " wei"
}
