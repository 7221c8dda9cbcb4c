package rpc_test

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/server/rpc"
)

func readCapabilities(t *testing.T, b []byte) capability.Capabilities {
	t.Helper()
	var m rpc.Capabilities
	if err := proto.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	return m.Capability()
}

func TestCapabilityVectors(t *testing.T) {
	t.Parallel()
	var file struct {
		Bitstrings []struct {
			Name         string
			Capabilities []capability.ID
			Proto        hexBytes `json:"proto_hex_with_version_0.9.1_and_capacity_1_each"`
		}
		Compatibility []struct {
			Name         string
			Compatible   bool
			Gateway      hexBytes `json:"gateway_proto_hex"`
			Orchestrator hexBytes `json:"orchestrator_proto_hex"`
		}
		Jobs []struct {
			Name  string
			Proto hexBytes `json:"proto_hex"`
		} `json:"job_capabilities"`
	}
	readVectors(t, "capabilities.json", &file)
	if len(file.Bitstrings) == 0 || len(file.Jobs) == 0 || len(file.Compatibility) != 12 {
		t.Fatal("a list of the vectors is short")
	}
	for _, row := range file.Bitstrings {
		offer := capability.Offer(capability.Of(row.Capabilities...), "0.9.1")
		checkBytes(t, rpc.FromCapabilities(offer), row.Proto)
	}
	for _, row := range file.Jobs {
		checkBytes(t, rpc.FromCapabilities(readCapabilities(t, row.Proto)), row.Proto)
	}
	for _, row := range file.Compatibility {
		request, offer := readCapabilities(t, row.Gateway), readCapabilities(t, row.Orchestrator)
		if why := capability.Mismatch(&request, &offer); (why == "") != row.Compatible {
			t.Errorf("%s: %q, want compatible %v", row.Name, why, row.Compatible)
		}
		checkBytes(t, rpc.FromCapabilities(request), row.Gateway)
		checkBytes(t, rpc.FromCapabilities(offer), row.Orchestrator)
	}
}

func TestCapabilityAbsent(t *testing.T) {
	t.Parallel()
	var none *rpc.Capabilities
	got := none.Capability()
	if got.Bits.Len() != 0 || got.Capacities != nil || got.Version != "" {
		t.Errorf("absent reads as %+v", got)
	}
	bits := (&rpc.Capabilities{Bitstring: []uint64{9}}).Capability()
	if bits.Units(capability.H264) != 1 || bits.Units(capability.FractionalFramerates) != 1 ||
		bits.Units(capability.MPEGTS) != 0 {
		t.Error("without capacities a bit is not one unit")
	}
	// A map may hold no message for a key when it was built by hand.
	odd := &rpc.Capabilities{Constraints: &rpc.Capabilities_Constraints{
		PerCapability: map[uint32]*rpc.Capabilities_CapabilityConstraints{33: nil}}}
	if models, ok := odd.Capability().Constraints.PerCapability[capability.LLM]; !ok || len(models) != 0 {
		t.Errorf("models %v, %v", models, ok)
	}
}

// What a peer says of a model's features is bounded, and comes back as it was.
func TestFeaturesOfModels(t *testing.T) {
	t.Parallel()
	long, many := strings.Repeat("x", 33), slices.Repeat([]string{"tools"}, 40)
	for _, tt := range []struct{ has, lacks, wantHas, wantLacks []string }{
		{nil, nil, nil, nil},
		{[]string{"tools", "vision"}, []string{"audio"}, []string{"tools", "vision"}, []string{"audio"}},
		{[]string{long, "tools"}, many, []string{"tools"}, many[:32]},
	} {
		c := capability.Offer(capability.Of(capability.LLM), "0.9.1")
		c.Constraints.PerCapability = map[capability.ID]capability.Models{capability.LLM: {"m": {Features: tt.has,
			Lacks: tt.lacks}}}
		b, err := proto.Marshal(rpc.FromCapabilities(c))
		if err != nil {
			t.Fatal(err)
		}
		read := readCapabilities(t, b)
		got := read.Constraints.PerCapability[capability.LLM]["m"]
		if !slices.Equal(got.Features, tt.wantHas) || !slices.Equal(got.Lacks, tt.wantLacks) {
			t.Errorf("%q, %q came as %q, %q", tt.has, tt.lacks, got.Features, got.Lacks)
		}
	}
}
