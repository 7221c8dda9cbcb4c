package orchestrate_test

import (
	"testing"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
)

// TestEveryDeviceAway: while none is there to offer anything, a session goes on under
// the last offer, and its gateway keeps that; a new gateway gets a capacity fault and
// not of capabilities.
func TestEveryDeviceAway(t *testing.T) {
	t.Parallel()
	there := capability.Offer(capability.Of(capability.H264, capability.MPEGTS, capability.HEVCDecode), "0.9.1")
	offer, a := there, &admitter{}
	n := newNode(t, func(o *orchestrate.Options) {
		o.Limit, o.Admitter = 0, a
		o.Capabilities = func() capability.Capabilities { return offer }
	})
	asks := func(tok *orchestrate.Token, ids ...capability.ID) orchestrate.SegmentRequest {
		req := request(tok)
		req.Capabilities = &capability.Capabilities{Bits: capability.Of(ids...)}
		return req
	}
	live, other := n.token(), n.token()
	send := func() {
		t.Helper()
		seg, err := n.Admit(t.Context(), asks(live, capability.H264))
		if err != nil {
			t.Fatal(err)
		}
		defer seg.Close()
		if _, err := seg.Transcode(t.Context(), []byte("segment")); err != nil {
			t.Error(err)
		}
		if got := seg.Info().Capabilities.Bits; !there.Bits.In(got) {
			t.Errorf("its gateway gets %v", got)
		}
	}
	send()

	offer = capability.Offer(nil, "0.9.1")
	a.usage.Refusal = fault.New(fault.NoTranscoders, "admit", "none of 2 devices is ready")
	a.refuse = a.usage.Refusal
	send()
	for _, id := range []capability.ID{capability.H264, capability.VP9Decode} {
		_, err := n.Admit(t.Context(), asks(other, id))
		wantCode(t, err, fault.NoTranscoders)
	}
	if got := n.Capabilities().Bits; len(got.IDs()) != 0 {
		t.Errorf("offered %v", got)
	}

	offer, a.usage.Refusal, a.refuse = there, nil, nil
	_, err := n.Admit(t.Context(), asks(other, capability.VP9Decode))
	wantCode(t, err, fault.IncompatibleCapabilities)
}

// TestNoRoomIsFull: what may have no session at all is not what has no number.
func TestNoCapacityIsFull(t *testing.T) {
	t.Parallel()
	full := fault.New(fault.OrchestratorCapped, "admit", "no room")
	for _, tc := range []struct {
		usage orchestrate.Usage
		full  bool
	}{
		{orchestrate.Usage{}, false},
		{orchestrate.Usage{Sessions: 4}, false},
		{orchestrate.Usage{Sessions: 4, Limit: 5}, false},
		{orchestrate.Usage{Sessions: 5, Limit: 5}, true},
		{orchestrate.Usage{Refusal: full}, true},
		{orchestrate.Usage{Sessions: 1, Limit: 5, Refusal: full}, true},
	} {
		if tc.usage.Full() != tc.full {
			t.Errorf("%+v is full: %v", tc.usage, tc.usage.Full())
		}
		a := &admitter{usage: tc.usage}
		n := newNode(t, func(o *orchestrate.Options) { o.Limit, o.Admitter = 0, a })
		if got := n.Usage(); got.Full() != (tc.usage.Refusal != nil) {
			t.Errorf("%+v is shown as %+v", tc.usage, got)
		}
		if _, err := n.Offer(t.Context(), orchestrate.OfferRequest{}); (err != nil) != tc.full {
			t.Errorf("%+v: %v", tc.usage, err)
		}
	}
}
