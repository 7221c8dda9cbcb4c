package gateway_test

import (
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/gateway"
)

// The ladder changes as a whole or not at all.
func TestSetRenditions(t *testing.T) {
	t.Parallel()
	profiles, err := core.ParsePresets("P240p30fps16x9,P360p30fps16x9")
	if err != nil {
		t.Fatal(err)
	}
	g, err := gateway.New(gateway.Options{Orchestrators: []string{"https://127.0.0.1:1"}, Profiles: profiles})
	if err != nil {
		t.Fatal(err)
	}
	if got := g.Renditions(); got != "P240p30fps16x9,P360p30fps16x9" {
		t.Errorf("%q", got)
	}
	if err := g.SetRenditions("P144p30fps16x9,nothing"); err == nil || g.Renditions() != "P240p30fps16x9,P360p30fps16x9" {
		t.Errorf("a name that is no preset: %v, %q", err, g.Renditions())
	}
	if err := g.SetRenditions("P144p30fps16x9"); err != nil || g.Renditions() != "P144p30fps16x9" {
		t.Errorf("%v, %q", err, g.Renditions())
	}
}
