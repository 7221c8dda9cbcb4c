package media

import (
	"encoding/json"
	"testing"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/transcoder/devices"
)

// TestHandedCards: what another process found holds for the same test and the same
// encoders; its GPUs are known anyway.
func TestHandedCards(t *testing.T) {
	t.Parallel()
	found := devices.Finding{
		Driver: "550.54.15", Tested: true, Capabilities: capability.Default(), EncoderSessions: 8,
		SessionMemory: 1 << 27, RenditionMemory: 1 << 25, Cost: 1e-9,
	}
	for _, row := range []struct {
		name   string
		handed handedCards
		holds  bool
	}{
		{"the same", handedCards{Form: devices.ProbeForm, Preset: "p4"}, true},
		{"another test", handedCards{Form: devices.ProbeForm + 1, Preset: "p4"}, false},
		{"another preset", handedCards{Form: devices.ProbeForm, Preset: "p5"}, false},
	} {
		row.handed.Cards = map[device.UUID]devices.Finding{"GPU-1": found}
		text, err := json.Marshal(row.handed)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := readCards(string(text), "p4")["GPU-1"]
		if !ok || got.Tested != row.holds {
			t.Errorf("%s: %+v", row.name, got)
		}
		if row.holds && (got.Cost != found.Cost || got.EncoderSessions != 8 || got.Driver != found.Driver ||
			got.Capabilities.Len() != found.Capabilities.Len() || got.SessionMemory != found.SessionMemory) {
			t.Errorf("%s: %+v", row.name, got)
		}
	}
	for _, text := range []string{"", "{", `{"Cards":[]}`} {
		if got := readCards(text, ""); len(got) != 0 {
			t.Errorf("%q: %+v", text, got)
		}
	}
}
