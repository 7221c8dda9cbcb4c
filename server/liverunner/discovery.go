package liverunner

import (
	"math/rand/v2"
	"net/http"

	"github.com/tuttinode/tutti/core/liverunner"
	"github.com/tuttinode/tutti/core/orchestrate"
)

// Offer is a runner as clients get it.
type Offer struct {
	URL       string          `json:"url"`
	GPU       *liverunner.GPU `json:"gpu,omitempty"`
	App       string          `json:"app"`
	Version   string          `json:"version,omitempty"`
	Metadata  string          `json:"metadata,omitempty"`
	Mode      string          `json:"mode,omitempty"`
	Capacity  int             `json:"capacity"`
	Used      int             `json:"capacity_used"`
	Available int             `json:"capacity_available"`
	Price     *OfferPrice     `json:"price_info,omitempty"`
}

// OfferPrice is what a unit costs, in whole wei.
type OfferPrice struct {
	Wei      int64                `json:"price"`
	Currency string               `json:"currency"`
	Unit     orchestrate.LiveUnit `json:"unit"`
}

// offers are those of one orchestrator.
type offers struct {
	Address string  `json:"address"`
	Runners []Offer `json:"runners,omitempty"`
}

// discovery lists the runners that take work, in random order, so that clients spread over them.
func (s *Server) discovery(w http.ResponseWriter, _ *http.Request) {
	all := offers{Address: s.o.ServiceURI}
	runners := s.registry.Runners()
	if s.registry.Paused() {
		runners = nil
	}
	for _, r := range runners {
		if !r.Serves || r.Draining {
			continue
		}
		all.Runners = append(all.Runners, Offer{
			URL: s.publicURL(r), GPU: r.Spec.GPU, App: r.Spec.App, Version: r.Spec.Version, Metadata: r.Spec.Metadata,
			Mode: r.Spec.Mode, Capacity: r.Spec.Capacity, Used: r.Used, Available: max(0, r.Spec.Capacity-r.Used),
			Price: s.priceOf(r),
		})
	}
	if s.o.Further != nil {
		all.Runners = append(all.Runners, s.o.Further()...)
	}
	rand.Shuffle(len(all.Runners), func(i, j int) { all.Runners[i], all.Runners[j] = all.Runners[j], all.Runners[i] })
	writeJSON(w, []offers{all})
}

// WriteOffers answers with the offers of a node without live runners.
func WriteOffers(w http.ResponseWriter, serviceURI string, all []Offer) {
	writeJSON(w, []offers{{Address: serviceURI, Runners: all}})
}

// priceOf is what clients pay for a runner; nil where they pay nothing, and without a price.
func (s *Server) priceOf(r liverunner.Runner) *OfferPrice {
	if s.o.Payments == nil {
		return nil
	}
	p, err := r.Spec.Price.Wei(s.o.Rate)
	if err != nil {
		return nil
	}
	return &OfferPrice{p.PerUnit, "wei", r.Spec.Price.Unit}
}

// publicURL is where a client begins with a runner.
func (s *Server) publicURL(r liverunner.Runner) string {
	switch {
	case r.Spec.Mode == liverunner.Persistent:
		return s.appURL(r.Route) + "/session"
	case r.Spec.Proxy:
		return s.proxies.url(r.Route)
	}
	return s.appURL(r.Route) + "/app"
}

func (s *Server) appURL(route string) string { return s.o.ServiceURI + "/apps/" + pathEscape(route) }
