package pool_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/tuttinode/tutti/core/coretest"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/placement"
	"github.com/tuttinode/tutti/transcoder/pool"
)

// No room at all is not the same as no limit.
func TestUsageWithoutRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := pool.New(nil, pool.Options{})
		defer p.Close()
		d := &coretest.SimDevice{Name: "0", Encoders: 8, Cost: 1e-12}
		a := sim(t, p, d)
		d.Foreign(8, 0) // somebody else has all encoders
		if _, err := p.Transcode(t.Context(), job("a", 0, 1)); fault.CodeOf(err) != fault.EncoderSessionsExhausted {
			t.Error(err)
		}
		p.EndSession("a")
		if u := p.Usage(); u.Limit != 0 || !u.Full() || u.Refusal == nil || u.Refusal.Code != fault.OrchestratorCapped || p.Ready() != 1 {
			t.Errorf("without room: %+v", u)
		}
		a.Update(placement.Offer{})
		if u := p.Usage(); u.Full() || u.Refusal != nil {
			t.Errorf("with room: %+v", u)
		}
		a.Update(placement.Offer{Remote: true})
		if u := p.Usage(); u.Full() || u.Limit == 0 && u.Refusal != nil {
			t.Errorf("without a number: %+v", u)
		}
	})
}

func TestUsageWhileThePoolDrains(t *testing.T) {
	t.Parallel()
	p := pool.New(nil, pool.Options{MaxSessions: 10})
	defer p.Close()
	sim(t, p, &coretest.SimDevice{Name: "0"})
	if err := p.Drain(context.Background()); err != nil {
		t.Fatal(err)
	}
	if u := p.Usage(); !u.Full() || u.Refusal == nil || fault.Wire(u.Refusal) != "OrchestratorCapped" {
		t.Errorf("%+v", u)
	}
}
