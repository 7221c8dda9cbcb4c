package orchestrate

import "github.com/tuttinode/tutti/core"

// StreamPath is where renditions are served, below the service URI.
const StreamPath = "/stream/"

// url is the absolute address of a rendition.
func (o *Orchestrator) url(p Path) string { return o.opt.ServiceURI + StreamPath + p.String() }

func names(profiles []core.Profile) []string {
	out := make([]string, len(profiles))
	for i := range profiles {
		out[i] = profiles[i].Name
	}
	return out
}
