package liverunner

import (
	"math/rand/v2"
	"net/http"

	"github.com/tuttinode/tutti/core/liverunner"
)

// offer is a runner as clients get it.
type offer struct {
	URL       string          `json:"url"`
	GPU       *liverunner.GPU `json:"gpu,omitempty"`
	App       string          `json:"app"`
	Version   string          `json:"version,omitempty"`
	Metadata  string          `json:"metadata,omitempty"`
	Mode      string          `json:"mode,omitempty"`
	Capacity  int             `json:"capacity"`
	Used      int             `json:"capacity_used"`
	Available int             `json:"capacity_available"`
}

// offers are those of one orchestrator.
type offers struct {
	Address string  `json:"address"`
	Runners []offer `json:"runners,omitempty"`
}

// discovery lists the runners that take work, in random order, so that clients spread over them.
func (s *Server) discovery(w http.ResponseWriter, _ *http.Request) {
	all := offers{Address: s.o.ServiceURI}
	for _, r := range s.registry.Runners() {
		if !r.Serves {
			continue
		}
		all.Runners = append(all.Runners, offer{
			URL: s.publicURL(r), GPU: r.Spec.GPU, App: r.Spec.App, Version: r.Spec.Version, Metadata: r.Spec.Metadata,
			Mode: r.Spec.Mode, Capacity: r.Spec.Capacity, Used: r.Used, Available: max(0, r.Spec.Capacity-r.Used),
		})
	}
	rand.Shuffle(len(all.Runners), func(i, j int) { all.Runners[i], all.Runners[j] = all.Runners[j], all.Runners[i] })
	writeJSON(w, []offers{all})
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
