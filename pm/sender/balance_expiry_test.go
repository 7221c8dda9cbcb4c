package sender_test

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/pm/sender"
)

// TestLostJobsKeepNoCreditAlive: orchestrators close accounts that are idle for 10 minutes. A job
// of which no answer came may not have reached its orchestrator, and one in progress neither: the
// credit is not counted on for longer because of them.
func TestLostJobsKeepNoCreditAlive(t *testing.T) {
	t.Parallel()
	lose := func(how sender.Outcome) func(*testing.T, *kit, *sender.Terms) {
		return func(t *testing.T, k *kit, offer *sender.Terms) { pay(t, k, offer, 50).Settle(how, 0) }
	}
	for name, between := range map[string]func(*testing.T, *kit, *sender.Terms){
		"failed":    lose(sender.Failed),
		"refused":   lose(sender.Refused),
		"abandoned": lose(sender.Abandoned),
		"unsent":    lose(sender.Unsent),
		"two at once": func(t *testing.T, k *kit, offer *sender.Terms) {
			one := pay(t, k, offer, 50)
			k.clock.Forward(time.Second)
			two := pay(t, k, offer, 50)
			one.Settle(sender.Failed, 0)
			two.Settle(sender.Unsent, 0)
		},
		"in progress": func(t *testing.T, k *kit, offer *sender.Terms) {
			p := pay(t, k, offer, 50)
			t.Cleanup(func() { p.Settle(sender.Failed, 0) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := begin(t, t.TempDir(), nil)
			offer := terms(params(1, 1000), func(t *sender.Terms) { t.Nonces = sender.OwnNonces })
			pay(t, k, offer, 3000).Settle(sender.Served, 100)
			if !k.Holds(offer, 50) {
				t.Fatalf("balance %s does not pay for a job", k.balance(t))
			}
			k.clock.Forward(8 * time.Minute)
			between(t, k, offer)
			k.clock.Forward(5 * time.Minute)
			if k.Holds(offer, 50) {
				t.Error("a balance that the orchestrator has closed is counted on")
			}
			p := pay(t, k, offer, 50)
			p.Settle(sender.Unsent, 0)
			if len(p.Tickets) == 0 {
				t.Error("no ticket for a job whose balance the orchestrator has closed")
			}
		})
	}
}
