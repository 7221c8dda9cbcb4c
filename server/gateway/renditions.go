package gateway

import (
	"strings"

	"github.com/tuttinode/tutti/core"
)

// Renditions returns the comma-separated names of the presets for streams that request none.
func (g *Gateway) Renditions() string {
	var names []string
	for _, p := range *g.ladder.Load() {
		names = append(names, p.Name)
	}
	return strings.Join(names, ",")
}

// SetRenditions changes them for new streams, until the next start. The error names an unknown
// preset.
func (g *Gateway) SetRenditions(names string) error {
	profiles, err := core.ParsePresets(names)
	if err == nil {
		g.ladder.Store(&profiles)
	}
	return err
}
