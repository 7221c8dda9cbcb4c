package admin

import (
	"errors"
	"math/big"
	"net/http"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/pricing"
)

// oldBroadcastConfig is what a gateway pays at most and makes, as older tools read
// it. MaxPrice is "a/b" in wei per pixel, null for no bound.
type oldBroadcastConfig struct {
	MaxPrice           *big.Rat
	TranscodingOptions string
}

func (s *Server) broadcastConfig(w http.ResponseWriter, _ *http.Request) error {
	m := s.opts.Market
	if m.Caps == nil && m.Renditions == nil {
		return absent("broadcast configuration")
	}
	var out oldBroadcastConfig
	if m.Caps != nil {
		out.MaxPrice = m.Caps.MaxTranscoding()
	}
	if m.Renditions != nil {
		out.TranscodingOptions = m.Renditions.Renditions()
	}
	writeJSON(w, out)
	return nil
}

// setBroadcastConfig reads everything before it changes anything.
func (s *Server) setBroadcastConfig(w http.ResponseWriter, r *http.Request) error {
	f, err := formOf(w, r)
	if err != nil {
		return err
	}
	m, names := s.opts.Market, f.Get("transcodingOptions")
	priced := f.Get("maxPricePerUnit") != "" || f.Get("pixelsPerUnit") != "" || f.Get("currency") != ""
	var price core.UnitPrice
	if priced {
		if price, err = f.priceOf("maxPricePerUnit"); err != nil {
			return err
		}
	}
	switch {
	case !priced && names == "":
		return badParam("missing form param: maxPricePerUnit or transcodingOptions")
	case priced && m.Caps == nil:
		return absent("bound on prices that can be changed while it runs")
	case names != "" && m.Renditions == nil:
		return absent("renditions that can be changed while it runs")
	}
	if names != "" {
		before := m.Renditions.Renditions()
		if err := m.Renditions.SetRenditions(names); err != nil {
			return badParam("transcodingOptions %s: %v", quote(names), err)
		}
		names = before
	}
	if !priced {
		return nil
	}
	err = m.Caps.SetMaxTranscoding(r.Context(), price)
	if err != nil && names != "" {
		// Both or none.
		err = errors.Join(err, m.Renditions.SetRenditions(names))
	}
	return badPrice("maxPricePerUnit", err)
}

func (s *Server) setMaxPriceForCapability(w http.ResponseWriter, r *http.Request) error {
	f, err := formOf(w, r)
	if err != nil {
		return err
	}
	price, err := f.priceOf("maxPricePerUnit")
	if err != nil {
		return err
	}
	pipeline, err := f.text("pipeline")
	if err != nil {
		return err
	}
	id, err := f.text("modelID")
	if err != nil {
		return err
	}
	model, ok := pricing.ParseModel(pipeline, id)
	if !ok {
		return badParam("pipeline %s: there is no such pipeline", quote(pipeline))
	}
	if s.opts.Market.Caps == nil {
		return absent("price limit per capability")
	}
	return badPrice("maxPricePerUnit", s.opts.Market.Caps.SetMaxModel(r.Context(), model, price))
}
