package sender_test

import (
	"fmt"
	"testing"

	"github.com/tuttinode/tutti/pm/sender"
)

// TestBalanceThatAClientWastes: a client whose jobs are paid from what others' tickets left over,
// and come to nothing, stops no orchestrator and keeps it from nobody else.
func TestBalanceThatAClientWastes(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(*sender.Payment){
		"left": func(p *sender.Payment) { p.Settle(sender.Abandoned, 0) },
		"left before its end": func(p *sender.Payment) {
			p.Settle(sender.Served, 50)
			p.Left(50)
		},
		"broken off": func(p *sender.Payment) {
			p.Forgo()
			p.Settle(sender.Failed, 0)
		},
		"refused and billed": func(p *sender.Payment) {
			p.Settle(sender.Served, 50)
			p.Forgo()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := begin(t, t.TempDir(), bounded)
			offer := terms(params(1, 1000), func(t *sender.Terms) { t.Payee, t.Nonces = cheat, sender.OwnNonces })
			good, bad := offer.For("good"), offer.For("bad")
			unbilled := 0
			for n := range 400 {
				p, err := k.Pay(t.Context(), good, 50)
				if err != nil {
					t.Fatalf("job %d of another client, after %d wei were left unbilled: %v", n, unbilled, err)
				}
				p.Settle(sender.Served, 50)
				p.Received(50)
				unbilled += drain(k, t, bad, leave)
			}
			if k.named() {
				t.Error("the orchestrator is stopped")
			}
			if unbilled > 50_000 {
				t.Errorf("%d wei were left unbilled", unbilled)
			}
		})
	}
}

// drain leaves unbilled what is left of a balance, and returns how much that was.
func drain(k *kit, t *testing.T, bad *sender.Terms, leave func(*sender.Payment)) (unbilled int) {
	for range 30 {
		p, err := k.Pay(t.Context(), bad, 50)
		if err != nil {
			return unbilled
		}
		if len(p.Tickets) > 0 {
			p.Settle(sender.Unsent, 0)
			return unbilled
		}
		unbilled += 50
		leave(p)
	}
	return unbilled
}

// TestBalancesThatManyClientsWaste: clients of which each wastes one job's worth of what others'
// tickets left, with a ticket of its own or without, leave half of the bound to the others.
func TestBalancesThatManyClientsWaste(t *testing.T) {
	t.Parallel()
	for units, name := range map[int64]string{980: "from a balance", 1980: "besides a ticket"} {
		for how, leave := range map[string]func(*sender.Payment){
			"left": func(p *sender.Payment) { p.Settle(sender.Abandoned, 0) },
			"broken off": func(p *sender.Payment) {
				p.Forgo()
				p.Settle(sender.Failed, 0)
			},
		} {
			t.Run(name+" "+how, func(t *testing.T) {
				t.Parallel()
				manyClientsLeave(t, units, leave)
			})
		}
	}
}

func manyClientsLeave(t *testing.T, units int64, leave func(*sender.Payment)) {
	k := begin(t, t.TempDir(), bounded)
	offer := terms(params(1, 1000), func(t *sender.Terms) { t.Payee, t.Nonces = cheat, sender.OwnNonces })
	good, unbilled := offer.For("good"), 0
	for n := range 400 {
		p, err := k.Pay(t.Context(), good, 10)
		if err != nil {
			t.Fatalf("job %d of another client, after %d jobs were left unbilled: %v", n, unbilled, err)
		}
		p.Settle(sender.Served, 10)
		p.Received(10)
		if p, err = k.Pay(t.Context(), offer.For(fmt.Sprint("bad", n)), units); err == nil {
			leave(p)
			unbilled++
		}
	}
	if k.named() {
		t.Error("the orchestrator is stopped")
	}
	if unbilled > 60 {
		t.Errorf("%d jobs were left unbilled", unbilled)
	}
}

// TestBlameForBalances: jobs that are paid from a balance, and that another orchestrator did,
// count against the one that failed them like those that are paid by tickets.
func TestBlameForBalances(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), bounded)
	offer := terms(params(1, 1000), func(t *sender.Terms) { t.Payee, t.Nonces = cheat, sender.OwnNonces })
	for n := range 4000 {
		p, err := k.Pay(t.Context(), offer.For(fmt.Sprint("client", n%16)), 50)
		if err != nil {
			break
		}
		if len(p.Tickets) > 0 {
			p.Settle(sender.Served, 50)
			p.Received(50)
			continue
		}
		p.Forgo()
		p.Settle(sender.Failed, 0)
		p.Blame()
	}
	if !k.named() {
		t.Error("an orchestrator that fails what others do is not stopped")
	}
}
