package sender_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm/sender"
)

// used counts how often each nonce of each set was used.
type used struct {
	mu   sync.Mutex
	seen map[protocol.Hash]map[uint32]bool
}

func (u *used) take(t *testing.T, p *sender.Payment) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, ticket := range p.Tickets {
		set := u.seen[p.Params.RecipientRandHash]
		if set == nil {
			set = make(map[uint32]bool)
			u.seen[p.Params.RecipientRandHash] = set
		}
		if set[ticket.Nonce] || ticket.Nonce == 0 {
			t.Errorf("nonce %d of set %s was used twice", ticket.Nonce, p.Params.RecipientRandHash)
		}
		set[ticket.Nonce] = true
	}
}

func TestNoNonceTwice(t *testing.T) {
	t.Parallel()
	u := used{seen: make(map[protocol.Hash]map[uint32]bool)}
	dir := t.TempDir()
	for range 3 { // a process after another, with the same parameters
		k := begin(t, dir, nil)
		var wg sync.WaitGroup
		for i := range 16 {
			wg.Go(func() {
				for n := range 12 {
					offer := terms(params(byte((i+n)%3), 30), func(t *sender.Terms) { t.Session = core.SessionID(rune('a' + i)) })
					p, err := k.Pay(t.Context(), offer, int64(1+n*40))
					if errors.Is(err, fault.TicketParamsStale) {
						continue
					}
					if err != nil {
						t.Error(err)
						return
					}
					u.take(t, p)
					p.Settle(sender.Outcome(n%5), 10)
				}
			})
		}
		wg.Wait()
		k.close()
	}
	for hash, set := range u.seen {
		if len(set) == 0 || len(set) > sender.NetworkNonces {
			t.Errorf("%d tickets of set %s", len(set), hash)
		}
	}
}

func TestWear(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), nil)
	offer := terms(params(1, 30), nil)
	spend := func(tickets int64) error {
		p, err := k.Pay(t.Context(), offer, tickets*30-1)
		if err == nil {
			p.Settle(sender.Failed, 0)
		}
		return err
	}
	if err := spend(274); err != nil || k.Wear(offer) != sender.Fresh {
		t.Fatal(err, k.Wear(offer))
	}
	if err := spend(1); err != nil || k.Wear(offer) != sender.Worn {
		t.Fatal(err, k.Wear(offer))
	}
	if err := spend(276); !errors.Is(err, fault.TicketParamsStale) {
		t.Fatal(err)
	}
	if err := spend(275); err != nil || k.Wear(offer) != sender.Stale {
		t.Fatal(err, k.Wear(offer))
	}
	offer = terms(params(2, 30), nil)
	for _, row := range []struct {
		l1   protocol.L1Block
		want sender.Wear
	}{{1029, sender.Fresh}, {1030, sender.Worn}, {1038, sender.Worn}, {1039, sender.Stale}, {5000, sender.Stale}} {
		k.chain.change(func() { k.chain.view.Head.L1 = row.l1 })
		if got := k.Wear(offer); got != row.want {
			t.Errorf("at %d: %d, want %d", row.l1, got, row.want)
		}
	}
	if free := terms(nil, func(t *sender.Terms) { t.Price.PerUnit = 0 }); k.Wear(free) != sender.Fresh {
		t.Error("free work wears out")
	}
}

// A set is not forgotten while its parameters might come back.
func TestSetsAreForgottenLate(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), nil)
	offer := terms(params(1, 30), nil)
	pay(t, k, offer, 30).Settle(sender.Failed, 0)
	for _, l1 := range []protocol.L1Block{1040, 1103} {
		k.chain.change(func() { k.chain.view.Head.L1 = l1 })
		k.Sweep()
		k.chain.change(func() { k.chain.view.Head.L1 = 1000 }) // the chain goes back
		p := pay(t, k, offer, 30)
		if p.Tickets[0].Nonce == 1 {
			t.Fatalf("swept at %d: a nonce was used again", l1)
		}
		p.Settle(sender.Failed, 0)
	}
}

// An orchestrator that shows another one's hash uses up none of its numbers.
func TestSetsBelongToTheirRecipient(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), nil)
	pay(t, k, terms(params(1, 30), nil), 30)
	other := params(1, 30)
	other.Recipient = core.Address{9}
	if p := pay(t, k, terms(other, nil), 30); p.Tickets[0].Nonce != 1 {
		t.Error(p.Tickets[0].Nonce)
	}
}

// A false height that lasts does not bring a nonce back: sets that it expires are kept until they
// have expired by the time that blocks take. Then they are dropped.
func TestAFalseHeightBringsNoNonceBack(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), nil)
	defer k.close()
	u := used{seen: make(map[protocol.Hash]map[uint32]bool)}
	pay := func() {
		t.Helper()
		p, err := k.Pay(t.Context(), terms(params(1, 30), nil), 100)
		if err != nil {
			t.Fatal(err)
		}
		u.take(t, p)
		p.Settle(sender.Failed, 0)
	}
	pay()
	for range 3 {
		k.chain.change(func() { k.chain.view.Head.L1 += 1_000_000 })
		for range 8 {
			k.Sweep()
			k.clock.Forward(time.Minute)
		}
		k.chain.change(func() { k.chain.view.Head.L1 -= 1_000_000 })
		pay()
	}
	k.chain.change(func() { k.chain.view.Head.L1 += 1_000_000 })
	for range 70 {
		k.Sweep()
		k.clock.Forward(time.Minute)
	}
	k.chain.change(func() { k.chain.view.Head.L1 -= 1_000_000 })
	p, err := k.Pay(t.Context(), terms(params(1, 30), nil), 100)
	if err != nil || p.Tickets[0].Nonce != 1 {
		t.Fatalf("an expired set is kept: %v", err)
	}
	p.Settle(sender.Failed, 0)
}
