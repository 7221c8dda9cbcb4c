package rpc_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/rpc"
)

// Lists of empty elements would take fifty times as much memory as they have bytes.
func TestEmptyElementsAreCountedFirst(t *testing.T) {
	for name, one := range map[string]proto.Message{
		"profiles": &rpc.SegData{FullProfiles: []*rpc.VideoProfile{{}}},
		"stores":   &rpc.SegData{Storage: []*rpc.OSInfo{{}}},
		"prices":   &rpc.OrchestratorInfo{CapabilitiesPrices: []*rpc.PriceInfo{{}}},
		"hardware": &rpc.OrchestratorInfo{Hardware: []*rpc.HardwareInformation{{}}},
		"models": &rpc.OrchestratorInfo{Capabilities: &rpc.Capabilities{Constraints: &rpc.Capabilities_Constraints{
			PerCapability: map[uint32]*rpc.Capabilities_CapabilityConstraints{1: {}},
		}}},
	} {
		raw, err := proto.Marshal(one)
		if err != nil {
			t.Fatal(err)
		}
		many, into := bytes.Repeat(raw, 300_000/len(raw)), one.ProtoReflect().New().Interface()
		var refused error
		if n := testing.AllocsPerRun(3, func() { refused = rpc.Unmarshal(many, into) }); refused == nil || n > 100 {
			t.Errorf("%s: %v, %v allocations", name, refused, n)
		}
	}
	segments, err := proto.Marshal(&rpc.TranscodeData{Segments: []*rpc.TranscodedSegmentData{{}}})
	if err != nil {
		t.Fatal(err)
	}
	data := new(rpc.TranscodeData)
	if rpc.Unmarshal(bytes.Repeat(segments, 100_000), data) == nil {
		t.Errorf("%d segments of no length", len(data.GetSegments()))
	}
	text := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{0x8a, 0x02, 0}, 120_000))
	if _, err := rpc.DecodeSegData(text); fault.CodeOf(err) != fault.SegmentMessage {
		t.Errorf("a header of profiles: %v", err)
	}
}

// What nodes send is read, also with very many models.
func TestLargeOffersAreRead(t *testing.T) {
	models := make(map[string]*rpc.Capabilities_CapabilityConstraints_ModelConstraint)
	want := &rpc.OrchestratorInfo{Capabilities: &rpc.Capabilities{
		Capacities: make(map[uint32]uint32), Constraints: &rpc.Capabilities_Constraints{
			PerCapability: map[uint32]*rpc.Capabilities_CapabilityConstraints{35: {Models: models}},
		},
	}}
	for i := range uint32(2000) {
		name := fmt.Sprintf("m/%d", i)
		models[name] = &rpc.Capabilities_CapabilityConstraints_ModelConstraint{Capacity: 1}
		want.CapabilitiesPrices = append(want.CapabilitiesPrices,
			&rpc.PriceInfo{PricePerUnit: 1, PixelsPerUnit: 1, Capability: 35, Constraint: name})
	}
	for i := range uint32(64) {
		want.Capabilities.Capacities[i] = 1
	}
	raw, err := proto.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	got := new(rpc.OrchestratorInfo)
	if err := rpc.Unmarshal(raw, got); err != nil || !proto.Equal(got, want) {
		t.Errorf("%d bytes: %v", len(raw), err)
	}
}
