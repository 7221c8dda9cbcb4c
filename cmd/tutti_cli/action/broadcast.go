package action

import (
	"context"
	"net/url"
	"strings"

	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core"
)

// Said is the node's own word on a setting that only its form paths take.
type Said struct {
	DryRun bool   `json:"dryRun"`
	Answer string `json:"answer"`
}

// Print writes what the node said.
func (s Said) Print(p *console.Page) {
	defer p.Flush()
	switch {
	case s.DryRun:
		p.Line("Nothing was changed (dry run).")
	case s.Answer == "":
		p.Line("%s", p.Style.Good("Done."))
	default:
		p.Line("%s", s.Answer)
	}
}

// form returns a verb's work where it is one form for one of the node's older paths,
// which have no place in version 1 of the admin API.
func form(path string, fields func(*verb.Call) (url.Values, error)) func(context.Context, *verb.Call) (verb.Result,
	error) {
	return func(ctx context.Context, c *verb.Call) (verb.Result, error) {
		values, err := fields(c)
		if err != nil {
			return nil, err
		}
		if c.Set.DryRun {
			return Said{DryRun: true}, nil
		}
		if err := c.Agree(ctx, "Change it?"); err != nil {
			return nil, err
		}
		answer, err := c.Node.Form(ctx, path, values)
		if err != nil {
			return nil, err
		}
		return Said{Answer: answer}, nil
	}
}

// maxPrice returns a price to pay, which may be 0: that is no bound.
func maxPrice() []verb.Field {
	f := priceFields("Maximum price per unit")
	f[2].Name, f[2].Help = "max-price",
		"the highest price to pay: whole wei, or an amount with its currency; 0 is no bound"
	f[2].Parse = func(c *verb.Call, text string, _ verb.InputCheck) (any, error) {
		return parseUnitPrice(c, text, verb.Trust)
	}
	return f
}

func broadcastVerbs() verb.Table {
	prices := maxPrice()
	config := append([]verb.Field{}, prices...)
	config = append(config, verb.Field{Name: "profiles", Meta: "LIST",
		Help: "names of the renditions to make, with commas between", Question: "Profiles, with commas between"})
	capability := append([]verb.Field{
		{Name: "pipeline", Meta: "PIPELINE", Required: true, Help: "the kind of AI job", Question: "Pipeline"},
		{Name: "model", Meta: "MODEL", Help: "the model, default for all others", Question: "Model", Default: "default"}},
		prices[2], prices[1])
	return verb.Table{
		{Name: "broadcast config", Menu: "Set broadcast config", For: verb.Gateways, Changes: true,
			Short:  "What a gateway pays for video, and which renditions it asks for, until the next restart.",
			Fields: config, Result: Said{}, Run: form("/setBroadcastConfig", broadcastForm)},
		{Name: "broadcast max-price", Menu: "Set max price per capability", For: verb.Gateways, Changes: true,
			Short:  "What a gateway pays for AI jobs, until the next restart.",
			Fields: capability, Result: Said{}, Run: form("/setMaxPriceForCapability", capabilityForm)},
	}
}

func broadcastForm(c *verb.Call) (url.Values, error) {
	values := url.Values{}
	if price := verb.Ref[core.UnitPrice](c, "max-price"); price != nil {
		putPrice(values, "maxPricePerUnit", *price)
	}
	if profiles := verb.Get[string](c, "profiles"); profiles != "" {
		values.Set("transcodingOptions", strings.ReplaceAll(profiles, " ", ""))
	}
	if len(values) == 0 {
		return nil, verb.Mistake("give --max-price, --profiles or both")
	}
	return values, nil
}

func capabilityForm(c *verb.Call) (url.Values, error) {
	price := verb.Ref[core.UnitPrice](c, "max-price")
	if price == nil {
		return nil, verb.Mistake("--max-price PRICE is missing")
	}
	values := url.Values{"pipeline": {verb.Get[string](c, "pipeline")}, "modelID": {"default"}}
	if model := verb.Get[string](c, "model"); model != "" {
		values.Set("modelID", model)
	}
	putPrice(values, "maxPricePerUnit", *price)
	return values, nil
}

func putPrice(values url.Values, name string, price core.UnitPrice) {
	number, currency := splitPrice(price)
	values.Set(name, number)
	values.Set("pixelsPerUnit", pixels(price))
	values.Set("currency", currency)
}

func maxFaceValue() *verb.Verb {
	value := etherField("value", "the highest face value", "Maximum face value in wei")
	value.Word, value.Required = true, true
	value.Parse = func(_ *verb.Call, text string, _ verb.InputCheck) (any, error) { return verb.ParseGasPrice(text) }
	value.Help = "the highest face value: wei, or with a unit, 0.01ETH"
	return &verb.Verb{Name: "ticket max-face-value", Menu: "Set max ticket face value", For: verb.Orchestrators,
		Chain: true, Changes: true, Short: "Bound the face value of tickets until the next restart.",
		Fields: []verb.Field{value}, Result: Said{}, Run: form("/setMaxFaceValue", func(c *verb.Call) (url.Values, error) {
			return url.Values{"maxfacevalue": {verb.Get[core.Wei](c, "value").String()}}, nil
		})}
}

func priceGateway() *verb.Verb {
	gateway := verb.Field{Name: "gateway", Word: true, Required: true, Meta: "ADDRESS|default",
		Help: "the gateway's account, or default", Question: "Gateway's address", Default: "default",
		Parse: func(_ *verb.Call, text string, _ verb.InputCheck) (any, error) {
			if text == "default" {
				return text, nil
			}
			a, err := core.ParseAddress(text)
			return a.String(), err
		}}
	prices := priceFields("Price per unit")
	prices[2].Required = true
	return &verb.Verb{Name: "price gateway", Menu: "Set price for broadcaster", For: verb.Orchestrators, Chain: true,
		Changes: true, Short: "A price for one gateway, until the next restart.",
		Fields: append([]verb.Field{gateway}, prices...), Result: Said{}, Before: learnFree,
		Run: form("/setPriceForBroadcaster", func(c *verb.Call) (url.Values, error) {
			values := url.Values{"broadcasterEthAddr": {verb.Get[string](c, "gateway")}}
			putPrice(values, "pricePerUnit", verb.Get[core.UnitPrice](c, "price-per-unit"))
			return values, nil
		})}
}
