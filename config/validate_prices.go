package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pricing"
)

// validatePrices parses the price documents, and checks that every price can be
// asked or paid.
func (l *loader) validatePrices() {
	p := &l.config.Prices
	p.FeedCurrency = l.feedCurrency()
	if l.valid("pricePerGateway") && !p.PerGateway.IsZero() {
		gateways, mistakes := pricing.ParseGateways(p.PerGateway.JSON, pricing.AskedWith(p.AutoAdjust), p.FeedCurrency)
		p.Gateways = gateways
		l.mistakes("pricePerGateway", p.PerGateway, mistakes)
	}
	if l.valid("maxPricePerCapability") && !p.MaxPerCapability.IsZero() {
		limits, mistakes := pricing.ParseCapabilities(p.MaxPerCapability.JSON, p.FeedCurrency)
		p.limits = limits
		l.mistakes("maxPricePerCapability", p.MaxPerCapability, mistakes)
	}
	if p.MaxPerUnit.IsSet() {
		p.limits.General = core.UnitPrice{Price: p.MaxPerUnit, PixelsPerUnit: p.PixelsPerUnit}
	}
	if !l.valid("pixelsPerUnit") {
		return
	}
	l.validateUnit("pricePerUnit", p.Default(), pricing.AskedWith(p.AutoAdjust))
	l.validateUnit("maxPricePerUnit", p.limits.General, pricing.Paid)
	l.validateUnit("aiBatchMaxPrice", l.config.BatchMaxPrice(), pricing.Paid)
	if l.config.Chain.Offchain() || !l.valid("network") {
		return
	}
	l.validatePriced()
	l.validateFeed()
}

// mistakes reports each mistake of a document at its place.
func (l *loader) mistakes(name string, d Document, all []pricing.Mistake) {
	for _, m := range all {
		at := m.At
		if d.Path != "" {
			at = fmt.Sprintf("line %d of the file", m.Line)
			if m.At != "" {
				at = m.At + ", " + at
			}
		}
		if at != "" {
			at += ": "
		}
		p := &Problem{Code: cmp.Or(m.Code, fault.BadOption), Subject: "-" + name, Text: at + m.Text, Remedy: m.Remedy}
		if g, ok := l.given(name); ok {
			p.Subject, p.Origin = g.origin.nameAsSpelled(), g.origin
		}
		l.problem(p)
		l.flagged[name] = true
	}
}

// feedCurrency returns the currency that the price feed tells the rate of, "" where only the
// contract of -priceFeedAddr knows. The feed that is the default tells that of the US
// dollar.
func (l *loader) feedCurrency() string {
	if _, given := l.given("priceFeedAddr"); given {
		return ""
	}
	return "USD"
}

// validateUnit refuses a price that offers cannot carry, or that is implausible.
func (l *loader) validateUnit(name string, u core.UnitPrice, use pricing.Use) {
	if !l.valid(name) {
		return
	}
	if err := pricing.Check(u, use, l.config.Prices.FeedCurrency); err != nil {
		_, text := fault.Public(err)
		l.reportOption(fault.BadOption, name, text,
			"write wei such as 1200, or an amount of a currency for many pixels: 0.1USD and -pixelsPerUnit "+
				"1000000000000")
	}
}

// validatePriced requires a price where work would be paid for and none was given: 0
// is one, but only the operator can mean it. With models, whose prices are elsewhere,
// the existing node starts without one, and so does this.
func (l *loader) validatePriced() {
	r := l.config.Roles
	takesWork := r.Orchestrator && !l.config.Addresses.Service.None
	if !takesWork || l.config.Prices.PerUnit.IsSet() ||
		!l.valid("pricePerUnit", "orchestrator", "transcoder", "aiWorker", "serviceAddr") {
		return
	}
	if r.AIWorker {
		if r.Transcoder {
			l.notices = append(l.notices, Notice{Subject: "-pricePerUnit",
				Text: "not given, so video is transcoded for nothing; write -pricePerUnit 1200 for 1200 wei a " +
					"pixel, or leave -transcoder out to run models only"})
		}
		return
	}
	l.reportOption(fault.MissingOption, "pricePerUnit", "an orchestrator on the chain must say what its work costs",
		"write -pricePerUnit 1200 for 1200 wei a pixel, an amount such as -pricePerUnit 0.1USD -pixelsPerUnit "+
			"1000000000000, or -pricePerUnit 0 to work for free")
}

// validateFeed refuses prices in a currency without a known rate. The feed
// that is the default exists on the main network and its copies alone.
func (l *loader) validateFeed() {
	name, ok := l.needsFeed()
	_, given := l.given("priceFeedAddr")
	known := given || l.config.Chain.Network != devNetwork
	if !ok || !l.valid("priceFeedAddr") || known && !l.config.Prices.FeedAddr.IsZero() {
		return
	}
	l.reportOption(fault.MissingOption, name, "a price in a currency needs a price feed on this network",
		"add -priceFeedAddr 0x… with the feed's contract, or write the price in wei or ETH")
}

// needsFeed names the option that has a price in a currency.
func (l *loader) needsFeed() (string, bool) {
	p := l.config.Prices
	in := func(prices []core.UnitPrice) bool { return slices.ContainsFunc(prices, pricing.NeedsFeed) }
	for _, o := range []struct {
		name   string
		active bool
		prices []core.UnitPrice
	}{
		{"pricePerUnit", l.config.Roles.Orchestrator, []core.UnitPrice{p.Default()}},
		{"pricePerGateway", l.config.Roles.Orchestrator, slices.Collect(maps.Values(p.Gateways))},
		{"maxPricePerUnit", l.config.Roles.Gateway || l.config.Roles.RemoteSigner, []core.UnitPrice{p.limits.General}},
		{"aiBatchMaxPrice", l.config.Roles.Gateway, []core.UnitPrice{l.config.BatchMaxPrice()}},
		{"maxPricePerCapability", l.config.Roles.Gateway || l.config.Roles.RemoteSigner,
			slices.AppendSeq(slices.Collect(maps.Values(p.limits.Models)), maps.Values(p.limits.Pipelines))},
	} {
		if o.active && l.valid(o.name) && in(o.prices) {
			return o.name, true
		}
	}
	return "", false
}
