package gateway

import (
	"strings"

	"github.com/tuttinode/tutti/core"
)

// Renditions are the names of the presets that streams get which ask for none, with
// commas between.
func (g *Gateway) Renditions() string {
	var names []string
	for _, p := range *g.ladder.Load() {
		names = append(names, p.Name)
	}
	return strings.Join(names, ",")
}

// SetRenditions changes them for streams that begin from now on, until the next
// start. The error names what is no preset.
func (g *Gateway) SetRenditions(names string) error {
	profiles, err := core.ParsePresets(names)
	if err == nil {
		g.ladder.Store(&profiles)
	}
	return err
}
