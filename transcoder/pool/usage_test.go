package pool_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/coretest"
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
		if u := p.Usage(); u.Limit != 0 || !u.Full() || u.Refusal == nil || u.Refusal.Code != fault.OrchestratorCapped ||
			p.Ready() != 1 {
			t.Errorf("without room: %+v", u)
		}
		a.Update(device.Resources{})
		if u := p.Usage(); u.Full() || u.Refusal != nil {
			t.Errorf("with room: %+v", u)
		}
		a.Update(device.Resources{Remote: true})
		if u := p.Usage(); u.Full() || u.Limit == 0 && u.Refusal != nil {
			t.Errorf("without a number: %+v", u)
		}
	})
}

// What the start-up test found is shown next to what is in use.
func TestFiguresOfADevice(t *testing.T) {
	t.Parallel()
	p := pool.New(nil, pool.Options{})
	defer p.Close()
	sim(t, p, &coretest.SimDevice{
		Name: "0", Encoders: 8, Memory: 900, SessionMemory: 120, RenditionMemory: 40, Cost: 1e-12,
	})
	if err := p.Admit(request("a", 2)); err != nil {
		t.Fatal(err)
	}
	u := p.Devices()[0]
	if u.Encoders != 2 || u.EncoderLimit != 8 || u.Memory != 160 || u.SessionMemory != 120 || u.Cost != 1e-12 {
		t.Errorf("%+v", u)
	}
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
