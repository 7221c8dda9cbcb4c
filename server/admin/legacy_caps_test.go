package admin_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pricing"
	"github.com/tuttinode/tutti/server/admin"
)

// capTable is a gateway's settings in memory. It refuses prices in EUR, and knows
// no rendition called x.
type capTable struct {
	said  []string
	names string
}

func (c *capTable) MaxTranscoding() *big.Rat { return big.NewRat(7, 2) }

func (c *capTable) SetMaxTranscoding(_ context.Context, price core.UnitPrice) error {
	return c.say("everything", price)
}

func (c *capTable) SetMaxModel(_ context.Context, m inference.Model, price core.UnitPrice) error {
	return c.say(fmt.Sprintf("%d %q", m.Capability, m.ID), price)
}

func (c *capTable) say(what string, price core.UnitPrice) error {
	switch price.Price.Currency {
	case "EUR":
		return fault.New(fault.PriceCurrencyUnknown, "set", "no rate of EUR")
	case "USD":
		return fault.New(fault.PriceFeedFailing, "set", "no answer")
	}
	c.said = append(c.said, what+" at most "+price.String())
	return nil
}

func (c *capTable) List() []pricing.ListedPrice {
	price, _ := core.ParsePrice("0.5USD")
	return []pricing.ListedPrice{{Wei: new(big.Rat)},
		{Model: inference.Model{Capability: capability.LLM, ID: "m"},
			Price: core.UnitPrice{Price: price, PixelsPerUnit: 1_000_000}}}
}

func (c *capTable) Renditions() string { return c.names }

func (c *capTable) SetRenditions(names string) error {
	if names == "x" {
		return errors.New("no such rendition")
	}
	c.names = names
	return nil
}

func TestBroadcastConfig(t *testing.T) {
	t.Parallel()
	table := &capTable{names: "P240p30fps16x9"}
	st := newStation(t, func(o *admin.Options) {
		old(o)
		o.Orchestrator, o.Chain, o.Market = false, nil, admin.Market{Caps: table, Renditions: table}
	})
	const price = "maxPricePerUnit=5&pixelsPerUnit=1e1&currency="
	for _, tt := range []struct {
		path, form string
		status     int
		want       string
	}{
		{"/getBroadcastConfig", "", 200, `{"MaxPrice":"7/2","TranscodingOptions":"P240p30fps16x9"}` + "\n"},
		{"/setBroadcastConfig", price, 200, ""},
		{"/setBroadcastConfig", "transcodingOptions=P360p30fps16x9", 200, ""},
		{"/setBroadcastConfig", price + "Wei&transcodingOptions=P720p30fps16x9", 200, ""},
		{"/getBroadcastConfig", "", 200, `{"MaxPrice":"7/2","TranscodingOptions":"P720p30fps16x9"}` + "\n"},
		{"/setBroadcastConfig", price + "EUR", 400, "maxPricePerUnit: no rate of EUR\n"},
		{"/setBroadcastConfig", price + "EUR&transcodingOptions=P144p30fps16x9", 400, "maxPricePerUnit: no rate of EUR\n"},
		{"/getBroadcastConfig", "", 200, `{"MaxPrice":"7/2","TranscodingOptions":"P720p30fps16x9"}` + "\n"},
		{"/setBroadcastConfig", price + "USD", 500, "PriceFeedFailing: no answer\n"},
		{"/setBroadcastConfig", "transcodingOptions=x", 400, "transcodingOptions \"x\": no such rendition\n"},
		{"/setBroadcastConfig", "", 400, "missing form param: maxPricePerUnit or transcodingOptions\n"},
		{"/setBroadcastConfig", "pixelsPerUnit=1", 400, "missing form param: maxPricePerUnit\n"},
		{"/setBroadcastConfig", "maxPricePerUnit=1", 400, "missing form param: pixelsPerUnit\n"},
		{"/setBroadcastConfig", "maxPricePerUnit=0.5&pixelsPerUnit=1&transcodingOptions=x", 400,
			"maxPricePerUnit \"0.5\": not a whole number of wei; an amount of a currency needs its name, such as 0.50USD\n"},
		{"/setMaxPriceForCapability", price + "&pipeline=llm&modelID=default", 200, ""},
		{"/setMaxPriceForCapability", price + "&pipeline=text-to-image&modelID=sd", 200, ""},
		{"/setMaxPriceForCapability", price + "&pipeline=llm", 400, "missing form param: modelID\n"},
		{"/setMaxPriceForCapability", price + "&pipeline=x&modelID=default", 400,
			"pipeline \"x\": there is no such pipeline\n"},
		{"/setMaxPriceForCapability", price + "EUR&pipeline=llm&modelID=m", 400, "maxPricePerUnit: no rate of EUR\n"},
	} {
		if got := st.form(tt.path, tt.form); got.Code != tt.status || got.Body.String() != tt.want {
			t.Errorf("%s %s: %d %q, want %q", tt.path, tt.form, got.Code, got.Body, tt.want)
		}
	}
	want := []string{"everything at most 5 wei per 10", "everything at most 5 wei per 10", `33 "" at most 5 wei per 10`,
		`27 "sd" at most 5 wei per 10`}
	if fmt.Sprint(table.said) != fmt.Sprint(want) {
		t.Errorf("said %q, want %q", table.said, want)
	}
}

// Without the parts nothing is changed, also of those that are there.
func TestBroadcastConfigWithoutParts(t *testing.T) {
	t.Parallel()
	table := &capTable{}
	for form, market := range map[string]admin.Market{
		"maxPricePerUnit=5&pixelsPerUnit=1&transcodingOptions=P240p30fps16x9": {Caps: table},
		"transcodingOptions=P360p30fps16x9&maxPricePerUnit=5&pixelsPerUnit=2": {Renditions: table},
	} {
		st := newStation(t, func(o *admin.Options) { old(o); o.Market = market })
		if got := st.form("/setBroadcastConfig", form); got.Code != 404 {
			t.Errorf("%s: %d %q", form, got.Code, got.Body)
		}
	}
	if len(table.said) != 0 || table.names != "" {
		t.Errorf("%v", table)
	}
	st := newStation(t, old)
	if got := st.form("/setMaxPriceForCapability",
		"maxPricePerUnit=5&pixelsPerUnit=1&pipeline=llm&modelID=m"); got.Code != 404 {
		t.Errorf("%d %q", got.Code, got.Body)
	}
}

// A price that is wrong by itself is the caller's mistake.
func TestPriceOfAnUnknownCurrency(t *testing.T) {
	t.Parallel()
	st := newStation(t, func(o *admin.Options) {
		old(o)
		o.Market.Prices = picky{o.Market.Prices.(*priceTable)}
	})
	got := st.form("/setPriceForBroadcaster", "pricePerUnit=1&pixelsPerUnit=1&currency=EUR&broadcasterEthAddr=default")
	if got.Code != 400 || got.Body.String() != "pricePerUnit: no rate of EUR\n" {
		t.Errorf("%d %q", got.Code, got.Body)
	}
	got = st.form("/setOrchestratorConfig", "pricePerUnit=1&pixelsPerUnit=1&currency=EUR")
	if got.Code != 400 || got.Body.String() != "pricePerUnit: no rate of EUR\n" {
		t.Errorf("%d %q", got.Code, got.Body)
	}
}

// picky has no rate of any currency.
type picky struct{ *priceTable }

func (picky) SetPrice(_ context.Context, _ core.Address, price core.UnitPrice) error {
	return fault.New(fault.PriceCurrencyUnknown, "set", "no rate of "+price.Price.Currency)
}
