package gateway_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/selectionweights"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/server/gateway"
	"github.com/tuttinode/tutti/server/rpc"
)

func byStake(o *gateway.Options) { o.Selection.Weights = selectionweights.Weights{Stake: 1} }

// refusals counts the segments that an orchestrator refused, paid or not.
func (n *node) refusals(code fault.Code) int { return n.events.count("uploaded " + string(code)) }

// TestFreshTermsAreNotOld: an orchestrator that calls terms old that it gave for this segment is left
// like any other that fails, and what it did counts in the choice.
func TestFreshTermsAreNotOld(t *testing.T) {
	t.Parallel()
	for text, code := range map[string]fault.Code{
		"TicketParams expired": fault.TicketParamsStale, "expired auth token": fault.ExpiredAuthToken,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			bad, good := newStaked(t, 1e6, 1), newStaked(t, 1, 1)
			n := onChain(t, []staked{bad, good}, byStake)
			n.push("/live/show/0.ts", media).want(t, media)
			bad.set(behavior{status: 400, text: text})
			for i := range 10 {
				n.clock.Forward(time.Second)
				n.push(fmt.Sprintf("/live/show%d/0.ts", i), media).want(t, media)
			}
			// A second of the clock is not over while a segment is on its way, so all terms
			// are got when the first word came, or later.
			if got := n.refusals(code); got == 0 || got > 3 {
				t.Errorf("%d segments refused", got)
			}
			if o := n.status(bad.uri); o.Code != code || o.Score == nil || *o.Score > 0.8 {
				t.Errorf("%+v", o)
			}
		})
	}
}

// TestOldTermsMayBeRefusedOnce: an orchestrator that restarts is not blamed for what
// it gave before.
func TestOldTermsMayBeRefusedOnce(t *testing.T) {
	t.Parallel()
	o, spare := newStaked(t, 1e6, 1), newStaked(t, 1, 1)
	n := onChain(t, []staked{o, spare}, byStake)
	for i := range 3 {
		n.push(fmt.Sprintf("/live/show%d/0.ts", i), media).want(t, media)
	}
	n.clock.Forward(30 * time.Second)
	o.set(behavior{status: 403, text: "expired auth token"})
	for i := range 3 {
		n.push(fmt.Sprintf("/live/show%d/1.ts", i), media).want(t, media)
	}
	if s, got := n.status(o.uri), n.refusals(fault.ExpiredAuthToken); !s.Until.IsZero() || got != 3 {
		t.Errorf("%d refused, %+v", got, s)
	}
}

// TestALiarMayNotMove: what it did is held against the address that the chain has, not
// against the one that it named.
func TestALiarMayNotMove(t *testing.T) {
	t.Parallel()
	data := picture(t)
	dishonest, honest := newStaked(t, 1e6, 1), newStaked(t, 1, 1)
	dishonest.made, honest.made = data, data
	other := func(i *rpc.OrchestratorInfo) { i.Transcoder = "https://localhost:" + port(dishonest.uri) }
	twice := func(d *rpc.TranscodeData) { d.Segments[0].Pixels *= 2 }
	dishonest.set(behavior{result: twice})
	n := onChain(t, []staked{dishonest, honest}, verifying, byStake)
	n.push("/live/show/0.ts", data).wantFrame(t, data)
	dishonest.set(behavior{offer: other, result: twice})
	for i := range 4 {
		n.push(fmt.Sprintf("/live/show%d/0.ts", i), data).wantFrame(t, data)
	}
	if got := len(dishonest.seen()); got != 1 {
		t.Errorf("the liar got %d segments", got)
	}
	if s := n.status(dishonest.uri); !s.Barred {
		t.Errorf("%+v", s)
	}
}

func port(uri string) string {
	for i := len(uri) - 1; i >= 0; i-- {
		if uri[i] == ':' {
			return uri[i+1:]
		}
	}
	return ""
}

// TestExpensiveRenewalsAreChosenAgain: an orchestrator keeps a stream while its renewed price is at most twice the
// price at which it was chosen. Above that an orchestrator is chosen again.
func TestExpensiveRenewalsAreChosenAgain(t *testing.T) {
	t.Parallel()
	for price, stays := range map[int64]bool{200: true, 201: false} {
		riser, fair := newStaked(t, 1, 100), newStaked(t, 1, 150)
		n := onChain(t, []staked{riser, fair}, func(o *gateway.Options) {
			o.Selection.Weights, o.Limits.SweepEvery = selectionweights.Weights{Stake: 1}, time.Hour
		})
		// The one that is going to ask for more is chosen when it is alone.
		fair.set(behavior{discoveryError: "full"})
		n.push("/live/show/0.ts", media).want(t, media)
		fair.set(behavior{})
		riser.mu.Lock()
		riser.price = price
		riser.mu.Unlock()
		n.clock.Forward(30*time.Minute - videorouting.RefreshBefore + 2*time.Second)
		riser.set(behavior{discoveryError: "later"})
		n.push("/live/show/1.ts", media).want(t, media) // the old token still holds
		riser.expires = func() time.Time { return n.clock.Now().Add(30 * time.Minute) }
		riser.set(behavior{})
		asked := fair.count(&fair.tokens)
		n.push("/live/show/2.ts", media, "Content-Duration", "60000").want(t, media)
		if chosenAgain := fair.count(&fair.tokens) > asked; chosenAgain == stays {
			t.Errorf("at %d: chosen again %v", price, chosenAgain)
		}
	}
}

// TestTermsOfAnotherSessionAreNotTaken: terms in an answer renew the session that they name, and begin no other.
func TestTermsOfAnotherSessionAreNotTaken(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		change func(*rpc.OrchestratorInfo)
		taken  bool
	}{
		"new secret": {func(i *rpc.OrchestratorInfo) { i.AuthToken.Token = []byte("new") }, true},
		"another session": {func(i *rpc.OrchestratorInfo) {
			i.AuthToken.Token, i.AuthToken.SessionId = []byte("new"),
				"other"
		}, false},
		"another account": {func(i *rpc.OrchestratorInfo) {
			i.AuthToken.Token = []byte("new")
			i.Address, i.TicketParams.Recipient = make([]byte, 20), make([]byte, 20)
		}, false},
		"no price": {func(i *rpc.OrchestratorInfo) { i.AuthToken.Token, i.PriceInfo = []byte("new"), nil }, false},
		"expensive": {func(i *rpc.OrchestratorInfo) { i.AuthToken.Token, i.PriceInfo.PricePerUnit = []byte("new"), 21 },
			false},
	} {
		o := newStaked(t, 1, 10)
		o.set(behavior{newTerms: row.change})
		n := onChain(t, []staked{o})
		n.push("/live/show/0.ts", media).want(t, media)
		n.push("/live/show/1.ts", media).want(t, media)
		seen := o.seen()
		if got := string(seen[1].Token.GetToken()) == "new"; got != row.taken {
			t.Errorf("%s: taken %v", name, got)
		}
	}
}
