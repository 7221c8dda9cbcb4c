package capability_test

import (
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/capability"
)

func TestVersionRule(t *testing.T) {
	t.Parallel()
	for _, row := range readVectors(t).Versions {
		if got := capability.VersionOK(row.Minimum, row.Version); got != row.Compatible {
			t.Errorf("minimum %q, version %q: %v", row.Minimum, row.Version, got)
		}
	}
	for _, row := range []struct {
		minimum, version string
		want             bool
	}{
		{"1", "1.0.0", true},
		{"v1.2", "1.2.0-rc.1", true},
		{"1.2.3", "1.2", false},
		{"0.10.0", "0.9.9", false},
		{"1.0.0", "1.0.0+build.5", true},
		{"1.0.0", "99999999999999999999.0.0", false},
		{"99999999999999999999.0.0", "0.0.1", true},
		{"1.0.0", "1.0.0.0", false},
		{"1.0.0", "2" + strings.Repeat("0", 300), false},
	} {
		if got := capability.VersionOK(row.minimum, row.version); got != row.want {
			t.Errorf("minimum %q, version %.40q: %v", row.minimum, row.version, got)
		}
	}
}

func TestCompatible(t *testing.T) {
	t.Parallel()
	models := func(m capability.Models) capability.Constraints {
		return capability.Constraints{PerCapability: map[capability.ID]capability.Models{capability.LLM: m}}
	}
	offer := capability.Offer(capability.Default(), "0.9.1")
	llm := capability.Offer(capability.Default().With(capability.LLM), "0.9.1")
	llm.Constraints = models(capability.Models{
		"warm": {Warm: true, Capacity: 1, RunnerVersion: "0.14.1"}, "cold": {Capacity: 1},
	})
	ask := func(id capability.ID, m capability.Models) *capability.Capabilities {
		return &capability.Capabilities{
			Bits:        capability.Of(id),
			Constraints: capability.Constraints{PerCapability: map[capability.ID]capability.Models{id: m}},
		}
	}
	demanding := offer
	demanding.Mandatory = capability.Of(capability.AuthToken)
	for _, row := range []struct {
		name           string
		request, offer *capability.Capabilities
		want           string
	}{
		{"no request", nil, &offer, "the request has no capabilities"},
		{"empty request", &capability.Capabilities{}, &offer, ""},
		{"job", &capability.Capabilities{Bits: capability.Of(0, 1, 12, 26)}, &offer, ""},
		{"missing", &capability.Capabilities{Bits: capability.Of(0, 13, 15)}, &offer,
			"missing capability 13, HEVC decode"},
		{"missing many", &capability.Capabilities{Bits: capability.Of(15, 16, 17, 18, 19, 20)}, &offer,
			"missing HEVC decode, HEVC encode, VP8 decode, VP9 decode, …"},
		{"longer, but empty", &capability.Capabilities{Bits: capability.Set{1, 0}}, &offer,
			"bit string of 2 words is longer than 1"},
		{"no offer, legacy job", &capability.Capabilities{Bits: capability.Legacy()}, nil, ""},
		{"no offer, job of today", &capability.Capabilities{Bits: capability.Of(12)}, nil, "missing Auth token"},
		{"mandatory not named", &capability.Capabilities{Bits: capability.Of(0)}, &demanding,
			"the offer demands more: missing Auth token"},
		{"mandatory named", &capability.Capabilities{Bits: capability.Of(0, 12)}, &demanding, ""},
		{"version", &capability.Capabilities{Constraints: capability.Constraints{MinVersion: "1.0.0"}}, &offer,
			`version "0.9.1" is below "1.0.0"`},
		{"model", ask(capability.LLM, capability.Models{"cold": {}}), &llm, ""},
		{"other model", ask(capability.LLM, capability.Models{"x": {}}), &llm, `Llm: model "x" is not offered`},
		{"warm wanted", ask(capability.LLM, capability.Models{"cold": {Warm: true}}), &llm,
			`Llm: model "cold" is not warm`},
		{"warm wanted and there", ask(capability.LLM, capability.Models{"warm": {Warm: true}}), &llm, ""},
		{"runner too old", ask(capability.LLM, capability.Models{"warm": {RunnerVersion: "0.15.0"}}), &llm,
			`Llm: model "warm" runs on version "0.14.1", below "0.15.0"`},
		{"units are not compared", ask(capability.LLM, capability.Models{"cold": {Capacity: 100}}), &llm, ""},
		{"model of a capability the offer is silent about", ask(capability.TextToImage, capability.Models{"m": {}}),
			&capability.Capabilities{Bits: capability.Of(capability.TextToImage)}, ""},
	} {
		got := capability.Mismatch(row.request, row.offer)
		if got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
		if capability.Compatible(row.request, row.offer) != (row.want == "") {
			t.Errorf("%s: Compatible differs from Objection", row.name)
		}
	}
}

func TestUnits(t *testing.T) {
	t.Parallel()
	received := capability.Capabilities{Bits: capability.Of(3, 33)}
	if received.Units(3) != 1 || received.Units(33) != 1 || received.Units(4) != 0 {
		t.Error("without capacities a bit is not one unit")
	}
	offer := capability.Offer(capability.Of(3), "0.9.1")
	offer.Capacities[3] = 5
	if offer.Units(3) != 5 || offer.Units(4) != 0 {
		t.Error("capacities do not count")
	}
}
