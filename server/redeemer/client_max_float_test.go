package redeemer_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// carries waits until the client says so of the gateway.
func (r *clientRig) carries(want string) {
	r.Helper()
	var last string
	r.wait("a max float of "+want, func() bool {
		v, err := r.MaxFloat(r.Context(), clientGateway)
		last = v.String()
		return err == nil && last == want
	})
}

func TestMaxFloatFollowsTheRedeemer(t *testing.T) {
	t.Parallel()
	for name, plain := range map[string]bool{"our own redeemer": false, "the network's": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newClientRig(t, func(r *clientRig) { r.far.plain = plain })
			r.far.set(clientGateway, 5)
			r.far.start()
			r.start()
			if v, err := r.MaxFloat(t.Context(), clientGateway); err != nil || v.String() != "5" {
				t.Fatalf("at first %s, %v", v, err)
			}
			r.wait("a stream", func() bool { return r.far.watched() == 1 })
			r.far.set(clientGateway, 6)
			r.carries("6")
			r.far.kill()
			r.far.set(clientGateway, 7)
			r.far.start()
			r.carries("7")
			r.wait("a stream", func() bool { return r.far.watched() == 1 })
			r.far.set(clientGateway, 8)
			r.carries("8")
		})
	}
}

// TestWhileTheRedeemerIsAway what it said last counts for a while, and a sender that it never
// reported is unknown, without a wait at each call.
func TestWhileTheRedeemerIsAway(t *testing.T) {
	t.Parallel()
	r := newClientRig(t)
	r.far.set(clientGateway, 5)
	r.far.start()
	r.start()
	r.carries("5")
	r.far.kill()
	r.wait("a condition", func() bool { return r.condition(fault.RedeemerUnreachable) != "" })
	r.carries("5")
	stranger := core.Address{8}
	for range 3 {
		if _, err := r.MaxFloat(t.Context(), stranger); fault.CodeOf(err) != fault.RedeemerUnreachable {
			t.Errorf("%v", err)
		}
	}
	r.later(6*time.Minute, 0)
	if _, err := r.MaxFloat(t.Context(), clientGateway); fault.CodeOf(err) != fault.RedeemerUnreachable {
		t.Errorf("%v", err)
	}
	r.far.start()
	r.carries("5")
	r.wait("the condition to go", func() bool { return r.condition(fault.RedeemerUnreachable) == "" })
}

func TestTheFirstAnswerIsBounded(t *testing.T) {
	t.Parallel()
	r := newClientRig(t, func(r *clientRig) { r.opt.FirstAnswer = 30 * time.Millisecond })
	r.far.falls(true)
	r.far.start()
	r.start()
	if _, err := r.MaxFloat(t.Context(), clientGateway); fault.CodeOf(err) != fault.RedeemerUnreachable {
		t.Errorf("%v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.MaxFloat(gone, core.Address{8}); fault.CodeOf(err) != fault.Canceled {
		t.Errorf("%v", err)
	}
}

// TestAStreamToNobody: the redeemer is there and says nothing any more.
func TestAStreamToNobody(t *testing.T) {
	t.Parallel()
	r := newClientRig(t, func(r *clientRig) { r.opt.Refresh, r.opt.FirstAnswer = 5*time.Millisecond, 30*time.Millisecond })
	r.far.set(clientGateway, 5)
	r.far.start()
	r.start()
	r.carries("5")
	r.far.falls(true)
	r.wait("a condition", func() bool { return r.condition(fault.RedeemerUnreachable) != "" })
	r.far.falls(false)
	r.far.set(clientGateway, 6)
	r.carries("6")
}

func TestARedeemerThatDoesNotKnow(t *testing.T) {
	t.Parallel()
	r := newClientRig(t)
	r.far.refuses(fault.New(fault.ChainUnavailable, "read", "no endpoint"))
	r.far.start()
	r.start()
	if _, err := r.MaxFloat(t.Context(), clientGateway); fault.CodeOf(err) != fault.MaxFloatUnknown {
		t.Errorf("%v", err)
	}
	r.far.refuses(nil)
	r.far.set(clientGateway, 4)
	r.carries("4")
}

func TestWatchedSendersAreBounded(t *testing.T) {
	t.Parallel()
	r := newClientRig(t, func(r *clientRig) { r.opt.Senders = 3 })
	r.far.start()
	r.start()
	for i := range 20 {
		if _, err := r.MaxFloat(t.Context(), core.Address{8, byte(i)}); err != nil {
			t.Fatal(err)
		}
	}
	r.wait("three streams", func() bool { return r.far.watched() == 3 })
}

func TestIdleSendersAreDropped(t *testing.T) {
	t.Parallel()
	r := newClientRig(t)
	r.far.start()
	r.start()
	r.carries("0")
	r.wait("a stream", func() bool { return r.far.watched() == 1 })
	r.later(11*time.Minute, 0)
	r.Won(r.win()) // has it look
	r.wait("the stream to end", func() bool { return r.far.watched() == 0 })
}

// TestManyAtOnce is for the race detector.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	r := newClientRig(t, func(r *clientRig) { r.opt.Senders, r.opt.Refresh = 4, time.Millisecond })
	r.far.start()
	r.start()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 30 {
				_, _ = r.MaxFloat(t.Context(), core.Address{8, byte((i + n) % 6)})
				r.far.set(core.Address{8, byte(n % 6)}, uint64(n))
			}
		})
	}
	for range 30 {
		r.Won(r.win())
	}
	all.Wait()
	r.handed(30)
}
