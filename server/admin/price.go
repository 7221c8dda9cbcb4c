package admin

import (
	"context"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

func (s *Server) setPrice(ctx context.Context, gateway core.Address, price core.UnitPrice) error {
	if s.opts.Market.Prices == nil {
		return absent("prices that can be changed while it runs")
	}
	return s.opts.Market.Prices.SetPrice(ctx, gateway, price)
}

// checkPrice says why a price would not be taken, as far as the table tells. One
// that was not requested is not refused.
func (s *Server) checkPrice(ctx context.Context, gateway core.Address, price core.UnitPrice) error {
	if checker, ok := s.opts.Market.Prices.(PriceChecker); ok && price.IsSet() {
		return checker.CheckPrice(ctx, gateway, price)
	}
	return nil
}

// changePrice sets the price for all gateways and reports whether another one was
// asked until now.
func (s *Server) changePrice(ctx context.Context, price core.UnitPrice) (changed bool, err error) {
	if !s.pricedOtherwise(price) {
		return false, s.checkPrice(ctx, core.Address{}, price)
	}
	return true, s.setPrice(ctx, core.Address{}, price)
}

// pricedOtherwise reports whether price differs from the present one. Two
// currencies differ unless both are free of charge.
func (s *Server) pricedOtherwise(price core.UnitPrice) bool {
	present, ok := s.opts.Market.Prices.PricePerPixel(core.Address{})
	if !ok {
		return true
	}
	if price.PerPixel().Sign() == 0 {
		return present.Sign() != 0
	}
	wei, ok := price.WeiPerPixel()
	return !ok || wei.Cmp(present) != 0
}

// badPrice makes what is wrong with a price itself a bad parameter of a legacy route.
func badPrice(name string, err error) error {
	if fault.ClassOf(err) != fault.BadRequest {
		return err
	}
	_, text := fault.Public(err)
	return badParam("%s: %s", name, text)
}
