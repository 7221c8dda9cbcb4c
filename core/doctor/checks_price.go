package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

func priceChecks() []Check {
	prices := func(check func(*World, Prices) Observation) func(context.Context, *World) Observation {
		return skipUnless(func(s *Setup) bool { return !s.OffChain && s.Roles.Orchestrator }, "this process is not paid",
			probeCheck(func(w *World) Probe[Prices] { return w.Prices }, check))
	}
	amount := prices(checkAmount)
	return []Check{
		{
			Name: "price.bound", Group: GroupPrice, Title: "a bound is set on the price that a gateway pays",
			Warns: codes(fault.PriceCapMissing),
			run: skipUnless(func(s *Setup) bool { return !s.OffChain && s.Roles.Gateway }, "this process makes no payments",
				checkBound),
		},
		{
			Name: "price.set", Group: GroupPrice, Title: "work has a price", Fails: codes(fault.ModelPriceInvalid),
			Warns: codes(fault.PriceMissing, fault.ModelUnpriced), run: prices(func(_ *World, p Prices) Observation {
				switch {
				case p.Free:
					return finding(fault.PriceMissing, "transcoding is free")
				case p.Text == "" && p.Models == 0:
					return skip("no price was given; the configuration says whether that is a mistake")
				}
				return pass(orDash(p.Text) + ", " + plural(p.Models, "price") + " of models")
			}),
		},
		{
			Name: "price.unit", Group: GroupPrice, Title: "prices are in wei, not in whole coins",
			Fails: codes(fault.PriceImplausible, fault.PriceOutOfRange, fault.PriceRoundsToZero),
			run: func(ctx context.Context, w *World) Observation {
				if wrong := refusedPrices(w); len(wrong) > 0 {
					return Observation{Findings: wrong}
				}
				return amount(ctx, w)
			},
		},
		{
			Name: "price.currency", Group: GroupPrice, Title: "the rate of the price's currency is known",
			Fails: codes(fault.PriceCurrencyUnknown, fault.PriceRateUnknown),
			Warns: codes(fault.PriceFeedFailing, fault.PriceRateDoubtful),
			run: prices(func(_ *World, p Prices) Observation {
				if p.Currency == "" {
					return withEvidence(p.Findings, "prices are in wei")
				}
				return withEvidence(p.Findings, p.Currency+": "+orDash(p.Feed))
			}),
		},
		{
			Name: "price.quotes", Group: GroupPrice, Title: "gateways are given quotes",
			Warns: codes(fault.TicketFaceValueHigh, fault.InsufficientSenderReserve),
			run: prices(func(_ *World, p Prices) Observation {
				if p.Quotes == 0 && len(p.Findings) == 0 {
					return skip("no gateway has an account with a running node yet")
				}
				return withEvidence(p.Findings, fmt.Sprintf("%d quotes", p.Quotes))
			}),
		},
	}
}

// checkBound reports the limits of a gateway's spending.
func checkBound(_ context.Context, w *World) Observation {
	if w.Setup.MaxPrice == "" {
		return finding(fault.PriceCapMissing, "any price is paid; "+w.Setup.PayLimits)
	}
	return pass("at most " + w.Setup.MaxPrice + "; " + w.Setup.PayLimits)
}

// refusedPrices reports prices that the configuration refused, on any node, as what they
// usually are: whole coins instead of wei.
func refusedPrices(w *World) (out []Finding) {
	for _, f := range w.Setup.Problems {
		if f.Code == fault.PriceImplausible || strings.Contains(f.Detail, "pricePer") {
			out = append(out, Finding{Code: fault.PriceImplausible, Detail: f.Detail, Remedy: f.Remedy})
		}
	}
	return out
}

func checkAmount(_ *World, p Prices) Observation {
	s := withEvidence(p.Findings, orDash(p.Text)+" is plausible")
	if p.Text == "" && p.Models == 0 {
		s.Skipped = "no price was given"
	}
	return s
}
