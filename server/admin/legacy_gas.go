package admin

import (
	"context"
	"net/http"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// gasRoutes returns the bounds on the price of gas.
func gasRoutes() []legacy {
	return []legacy{
		{path: "/maxGasPrice", chain: true, serve: gasText(func(g protocol.GasPrices) string {
			if g.Max.IsZero() {
				return "" // no maximum
			}
			return g.Max.String()
		})},
		{path: "/minGasPrice", chain: true, serve: gasText(func(g protocol.GasPrices) string { return g.Min.String() })},
		{path: "/setMaxGasPrice", chain: true, changes: true,
			serve: setGas("amount", func(v core.Wei) (lowest, highest *core.Wei) { return nil, &v })},
		{path: "/setMinGasPrice", chain: true, changes: true,
			serve: setGas("minGasPrice", func(v core.Wei) (lowest, highest *core.Wei) { return &v, nil })},
	}
}

func (c *Chain) gasPrices(ctx context.Context) (protocol.GasPrices, error) {
	if c.Gas == nil {
		return protocol.GasPrices{}, absent("bounds on the price of gas")
	}
	return c.Gas.GasPrices(ctx)
}

func (c *Chain) setGasBounds(lowest, highest *core.Wei) error {
	if c.Gas == nil {
		return absent("bounds on the price of gas")
	}
	return c.Gas.SetGasBounds(lowest, highest)
}

func gasText(f func(protocol.GasPrices) string) func(*Server, http.ResponseWriter, *http.Request) error {
	return func(s *Server, w http.ResponseWriter, r *http.Request) error {
		g, err := s.opts.Chain.gasPrices(r.Context())
		if err != nil {
			return err
		}
		writeText(w, f(g))
		return nil
	}
}

func setGas(name string, bounds func(core.Wei) (lowest, highest *core.Wei)) func(*Server, http.ResponseWriter,
	*http.Request) error {
	return func(s *Server, w http.ResponseWriter, r *http.Request) error {
		f, err := formOf(w, r)
		if err != nil {
			return err
		}
		v, err := value(f, name, core.ParseWei)
		if err != nil {
			return err
		}
		return s.opts.Chain.setGasBounds(bounds(v))
	}
}
