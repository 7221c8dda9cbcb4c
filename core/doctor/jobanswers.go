package doctor

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/requeststats"
)

const (
	// maxShown limits the reasons and gateways that are listed.
	maxShown = 6
	// likelyRefusedShare is the share of requests from which a refusal is a likely reason.
	likelyRefusedShare = 0.2
	// minOffers is how many offers are needed for a conclusion.
	minOffers = 3
)

// answers reports how gateways' requests were answered.
func (l *jobFindings) answers(f *NodeState, c *answerCounts) {
	if c.asked == 0 {
		up := f.Now.Sub(f.Started).Round(1e9)
		remedy := "If everything else here is in order, gateways prefer others: compare stake, price and how " +
			"quickly the node answers; in the first hour after a start, wait."
		if f.Offchain {
			remedy = "Compare the gateways' -orchAddr with the address that this node advertises."
		}
		l.add(Likely, "", "No gateway has asked this node for an offer.", remedy,
			fmt.Sprintf("none since %s; the node is up for %s", stamp(f.RequestStats.Since), up))
		return
	}
	all := c.asked + c.all[requeststats.Segment] + c.all[requeststats.Job]
	codes := slices.SortedFunc(maps.Keys(c.no), func(a,
		b fault.Code) int {
		return cmp.Or(cmp.Compare(c.no[b], c.no[a]), cmp.Compare(a, b))
	})
	for _, code := range codes[:min(len(codes), maxShown)] {
		n := c.no[code]
		weight := Hint
		if float64(n) >= likelyRefusedShare*float64(all) {
			weight = Likely
		}
		row, _ := fault.Lookup(code)
		l.add(weight, code, fmt.Sprintf("%d of %d requests were refused with %s.", n, all, code), row.Remedy,
			append([]string{row.Cause, fmt.Sprintf("gateways that got it: %d", len(c.refusedTo[code]))},
				byGateway(f.RequestStats.Answers, code)...)...)
	}
}

// byGateway lists the gateways that got a refusal most often.
func byGateway(answers []requeststats.Answer, code fault.Code) (out []string) {
	for _, a := range answers {
		if a.Code == code && len(out) < maxShown {
			out = append(out, fmt.Sprintf("%s: %d × %s, the last at %s", gatewayText(a.Gateway), a.Count, a.Kind,
				stamp(a.Last)))
		}
	}
	return out
}

func gatewayText(name string) string {
	if name == "" {
		return "a gateway without a proven address"
	}
	return name
}

// price reports gateways that got a price and sent no work.
func (l *jobFindings) price(f *NodeState, c *answerCounts) {
	silent := 0
	for gateway := range c.offered {
		if !c.worked[gateway] {
			silent++
		}
	}
	offers := c.yes[requeststats.TranscodingOffer] + c.yes[requeststats.AIOffer]
	if silent > 0 && offers >= minOffers && !f.Offchain {
		weight := Hint
		if len(c.worked) == 0 {
			weight = Likely
		}
		evidence := []string{fmt.Sprintf("%d offers were made; %d of %d gateways that got one sent nothing", offers,
			silent, len(c.offered))}
		if f.Price != nil {
			evidence = append(evidence,
				"without a price of its own a gateway is charged "+priceText(f.Price)+" wei per pixel now")
		}
		l.add(weight, "", "Gateways got the price and sent no work: it may be above what they pay.",
			"Compare with other orchestrators' prices, and set -pricePerUnit in wei per pixel; also see the "+
				"finding about missing capabilities.",
			append(evidence, pricesText(f.RequestStats.Prices)...)...)
	}
	l.underpaying(f)
}

// pricesText lists the quoted prices.
func pricesText(list []requeststats.Price) (out []string) {
	for _, p := range list {
		if len(out) == maxShown {
			break
		}
		if p.Last != nil {
			out = append(out, fmt.Sprintf("%s was asked %s wei per unit (%s to %s in the day)",
				gatewayText(p.Gateway), priceText(p.Last), priceText(p.Lowest), priceText(p.Highest)))
		}
	}
	return out
}

// underpaying reports gateways that expect a lower price than the present one.
func (l *jobFindings) underpaying(f *NodeState) {
	var evidence []string
	for _, p := range f.RequestStats.Prices {
		if p.Expected != nil && p.Last != nil && p.Last.Cmp(p.Expected) > 0 && len(evidence) < maxShown {
			evidence = append(evidence, fmt.Sprintf("%s pays %s wei per unit and is charged %s", gatewayText(p.Gateway),
				priceText(p.Expected), priceText(p.Last)))
		}
	}
	if len(evidence) > 0 {
		l.add(Hint, fault.ExpectedPriceWrong, "Gateways expect a lower price than the present one.",
			"None needed if the price was just raised; else lower it again.", evidence...)
	}
}

// missing reports what gateways requested and the node does not have.
func (l *jobFindings) missing(f *NodeState) {
	if len(f.RequestStats.Missing) == 0 {
		return
	}
	var evidence []string
	var n uint64
	for _, m := range f.RequestStats.Missing {
		n += m.Count
		if len(evidence) < maxShown {
			evidence = append(evidence, fmt.Sprintf("%d × %s: %s", m.Count, m.Kind, m.Text))
		}
	}
	l.add(Likely, fault.IncompatibleCapabilities,
		fmt.Sprintf("Gateways wanted %d times what this node does not have.", n),
		"If you want this work, add devices or models that can do it; for a minimum version, update.", evidence...)
}

// priceText formats a price.
func priceText(r *big.Rat) string {
	if r == nil {
		return "?"
	}
	if r.IsInt() {
		return r.RatString()
	}
	return r.FloatString(3)
}
