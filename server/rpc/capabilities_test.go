package rpc_test

import (
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
