package prices

import (
	"context"
	"maps"

	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/pricing"
)

// ReloadSteps take over prices and their bounds. What the admin API set stays unless its option says
// something new.
func (p *Tables) ReloadSteps() (steps []nodeenv.Step) {
	if p != nil && p.Book != nil {
		steps = append(steps, p.prepareBook)
	}
	if p != nil && p.Caps != nil {
		steps = append(steps, p.prepareCaps)
	}
	return steps
}

func (p *Tables) prepareBook(ctx context.Context, now, next *config.Config) (func(), error) {
	var fallback *core.UnitPrice
	if nodeenv.ConfigChanged(now, next, "pricePerUnit", "pixelsPerUnit") {
		u := next.Prices.Default()
		fallback = &u
	}
	var gateways map[core.Address]core.UnitPrice
	if nodeenv.ConfigChanged(now, next, "pricePerGateway") {
		gateways = make(map[core.Address]core.UnitPrice)
		maps.Copy(gateways, next.Prices.Gateways)
	}
	return p.Book.Replace(ctx, fallback, gateways)
}

func (p *Tables) prepareCaps(ctx context.Context, now, next *config.Config) (func(), error) {
	limits := next.Prices.Limits()
	var general *core.UnitPrice
	if nodeenv.ConfigChanged(now, next, "maxPricePerUnit", "pixelsPerUnit") {
		general = &limits.General
	}
	var single *pricing.Limits
	if nodeenv.ConfigChanged(now, next, "maxPricePerCapability") {
		single = &limits
	}
	return p.Caps.Replace(ctx, general, single)
}
