package rpc_test

import (
	"encoding/base64"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/rpc"
)

// FuzzSegment: whatever the header, reading it gives either a fault or a
// description that survives being sent on, and within the limits.
func FuzzSegment(f *testing.F) {
	for _, c := range segmentCases(f) {
		f.Add(c.Header)
	}
	for _, m := range []*rpc.SegData{
		{Duration: -1},
		{Hash: []byte{1}},
		{FullProfiles3: []*rpc.VideoProfile{{Gop: -2, Fps: 30, FpsDen: 1}, {Encoder: 9}}},
		{SegmentParameters: &rpc.SegParameters{From: 1 << 63, To: 1<<64 - 1}},
	} {
		header, err := rpc.EncodeHeader(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(header)
	}
	f.Add("=")
	f.Fuzz(func(t *testing.T, header string) {
		m, err := rpc.DecodeSegData(header)
		var meta *rpc.SegmentMeta
		if err == nil {
			meta, err = rpc.FromSegData(m)
		}
		if err != nil {
			if fault.CodeOf(err) == fault.Unexpected {
				t.Fatalf("error without a code: %v", err)
			}
			return
		}
		if meta.Duration <= 0 || meta.Duration > core.MaxSegmentDuration {
			t.Fatalf("duration %v", meta.Duration)
		}
		if c := meta.Clip; c != nil && (c.From < 0 || c.To < 0) {
			t.Fatalf("clip %+v", c)
		}
		for _, p := range meta.Profiles {
			if p.Name == "" {
				t.Fatal("profile without a name")
			}
		}
		again, err := rpc.FromSegData(rpc.ToSegData(meta))
		if err != nil {
			t.Fatalf("sent on: %v", err)
		}
		if len(again.Profiles) != len(meta.Profiles) || again.Manifest != meta.Manifest || again.Hash != meta.Hash ||
			again.Duration != meta.Duration {
			t.Fatalf("sent on %+v, read %+v", meta, again)
		}
		for i, p := range again.Profiles {
			if p.Name != meta.Profiles[i].Name || p.Encoder != meta.Profiles[i].Encoder {
				t.Fatalf("sent on %+v, read %+v", meta.Profiles[i], p)
			}
		}
	})
}

// FuzzPayment: whatever the header, reading it gives a fault or a payment that
// encodes to what reads as the same payment.
func FuzzPayment(f *testing.F) {
	var file paymentVectors
	readVectors(f, "tickets.json", &file)
	for _, v := range file.Tickets {
		f.Add(v.Header)
	}
	f.Add("")
	f.Add(base64.StdEncoding.EncodeToString([]byte{0x0a, 0x7f}))
	f.Fuzz(func(t *testing.T, header string) {
		m, err := rpc.DecodePayment(header)
		if err != nil {
			if c := fault.CodeOf(err); c != fault.PaymentEncoding && c != fault.PaymentMessage {
				t.Fatalf("code %s", c)
			}
			return
		}
		again, err := rpc.EncodeHeader(m)
		if err != nil {
			t.Fatal(err)
		}
		read, err := rpc.DecodePayment(again)
		if err != nil || !proto.Equal(read, m) {
			t.Fatalf("read %v, %v, want %v", read, err, m)
		}
	})
}

// FuzzCompatible: whatever two peers say, the verdict comes, is the same twice,
// and its text is bounded.
func FuzzCompatible(f *testing.F) {
	var file struct {
		Compatibility []struct {
			Gateway      hexBytes `json:"gateway_proto_hex"`
			Orchestrator hexBytes `json:"orchestrator_proto_hex"`
		}
	}
	readVectors(f, "capabilities.json", &file)
	for _, row := range file.Compatibility {
		f.Add([]byte(row.Gateway), []byte(row.Orchestrator))
	}
	f.Add([]byte{}, []byte{})
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var ma, mb rpc.Capabilities
		if proto.Unmarshal(a, &ma) != nil || proto.Unmarshal(b, &mb) != nil {
			return
		}
		request, offer := ma.Capability(), mb.Capability()
		why := capability.Mismatch(&request, &offer)
		if len(why) > 2000 {
			t.Fatalf("objection of %d bytes", len(why))
		}
		if again := capability.Mismatch(&request, &offer); again != why {
			t.Fatalf("%q, then %q", why, again)
		}
		if why == "" && !request.Bits.In(offer.Bits) {
			t.Fatal("compatible with a bit missing")
		}
		sent := rpc.FromCapabilities(request).Capability()
		if (capability.Mismatch(&sent, &offer) == "") != (why == "") {
			t.Fatal("the verdict changes on the way")
		}
	})
}
