package sender_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm/sender"
)

// of is a session for a client, at a wei per unit, whose tickets are worth 1 000 wei.
func of(client string, n int) *sender.Terms {
	return terms(params(byte(n+1), 1000), func(t *sender.Terms) {
		t.Key = core.ManifestID(fmt.Sprint(client, n))
		t.Session, t.Payee, t.Model, t.Push, t.Client = core.SessionID(t.Key), cheat, "", "film", client
		t.Params.RecipientRandHash[1] = byte(n >> 8)
	})
}

// leaveUnbilled has a client cause payments that come to nothing until it is refused. It returns
// how much was paid, in wei.
func (k *kit) leaveUnbilled(t *testing.T, client string, how sender.Outcome) (paid int) {
	t.Helper()
	for n := range 300 {
		p, err := k.Pay(t.Context(), of(client, n), 1000)
		if err != nil {
			if !errors.Is(err, fault.CreditInUse) {
				t.Fatalf("%s: %v", client, err)
			}
			return paid
		}
		paid += 1000 * len(p.Tickets)
		p.Settle(how, 0)
	}
	t.Fatalf("%s leaves work unbilled without end", client)
	return 0
}

// TestOneClientWastesItsShare: what a client alone causes stops no orchestrator, and keeps nothing from others but the
// client's share.
func TestOneClientWastesItsShare(t *testing.T) {
	t.Parallel()
	for name, how := range map[string]sender.Outcome{"input": sender.InputBad, "left": sender.Abandoned} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := begin(t, t.TempDir(), bounded)
			// Its share is 12 500 wei, and a payment may go beyond.
			if paid := k.leaveUnbilled(t, "bad", how); paid < 12_000 || paid > 15_000 {
				t.Errorf("%d wei were left unbilled", paid)
			}
			p := pay(t, k, of("good", 0), 1000)
			p.Settle(sender.Served, 1000)
			p.Received(1000)
			if k.named() {
				t.Error("the orchestrator is stopped")
			}
		})
	}
}

// TestManyClientsWasteHalf: together they leave half to the clients that the orchestrator works for, and all is bounded
// over restarts.
func TestManyClientsWasteHalf(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	k := begin(t, dir, func(o *sender.Options) { o.Limits.MaxCredit = core.NewWei(1_000_000) })
	limit := func(o *sender.Options) { o.Limits.MaxCredit = core.NewWei(1_000_000) }
	work := func(n int) error {
		p, err := k.Pay(t.Context(), of("good", n), 1000)
		if err == nil {
			p.Settle(sender.Served, 1000)
			p.Received(1000)
		}
		return err
	}
	if err := work(0); err != nil {
		t.Fatal(err)
	}
	unbilled := 0
	for n := range 40 {
		unbilled += k.leaveUnbilled(t, fmt.Sprint("bad", n), sender.InputBad)
	}
	if unbilled < 500_000 || unbilled > 502_000 {
		t.Errorf("%d wei were left unbilled", unbilled)
	}
	for n := range 100 {
		if err := work(n + 1); err != nil {
			t.Fatalf("work %d for a client that it works for: %v", n, err)
		}
	}
	if k.named() {
		t.Error("the orchestrator is stopped")
	}
	k.close()
	db := openDB(t, dir)
	credits := readCredits(t, db)
	k = begin(t, dir, func(o *sender.Options) { limit(o); o.Credits = credits })
	unbilled = 0
	for n := range 20 {
		unbilled += k.leaveUnbilled(t, fmt.Sprint("worse", n), sender.InputBad)
	}
	if unbilled > 60_000 || k.named() { // half of the work, and what it made good for
		t.Errorf("%d wei were left unbilled after a restart; stopped: %v", unbilled, k.named())
	}
}

// TestWastedCreditIsUsed: what a client wasted is used up by its own next work in the session.
func TestWastedCreditIsUsed(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), func(o *sender.Options) { o.Limits.MaxCredit = core.NewWei(1_000_000) })
	terms := of("c", 0)
	pay(t, k, terms, 5000).Settle(sender.InputBad, 0)
	roughly(t, k.Credits()[0].Unworked, 5001) // five tickets
	p := pay(t, k, terms, 5000)
	if len(p.Tickets) != 0 {
		t.Errorf("%d tickets for input that follows", len(p.Tickets))
	}
	p.Settle(sender.Served, 5000)
	p.Received(5000)
	roughly(t, k.Credits()[0].Unworked, 0)
}

// TestWhatCameBeforeAClientLeft is work.
func TestWhatCameBeforeAClientLeft(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), func(o *sender.Options) { o.Limits.MaxCredit = core.NewWei(1_000_000) })
	p := pay(t, k, of("c", 0), 50_000)
	p.Settle(sender.Served, 50_000)
	p.LeftAfter(20_000, 50_000)
	got := k.Credits()[0]
	// The first work of a stream makes good for more than all of this.
	if roughly(t, got.Unworked, 0); got.Bound.Floor().Int64() != 1_020_000 {
		t.Errorf("it may hold %s", got.Bound)
	}
	p = pay(t, k, of("c", 1), 50_000)
	p.Settle(sender.Served, 50_000)
	p.LeftAfter(20_000, 50_000)
	// 20 000 of work and a sixteenth; of the rest, as much is excused as half of the work.
	roughly(t, k.Credits()[0].Unworked, 50_001-21_250-20_000)
}

// TestExcusesAreKept: a restart does not excuse again what was excused.
func TestExcusesAreKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	k := begin(t, dir, bounded)
	for n := range 2 {
		p := pay(t, k, of("c", n), 20_000)
		p.Settle(sender.Served, 20_000)
		p.Received(20_000)
	}
	pay(t, k, of("c", 2), 20_000).Settle(sender.Abandoned, 0)
	roughly(t, k.Credits()[0].Unworked, 1) // half of 40 000 is excused
	k.close()
	k = reopen(t, dir)
	pay(t, k, of("c", 3), 20_000).Settle(sender.Abandoned, 0)
	roughly(t, k.Credits()[0].Unworked, 20_002)
}

// TestStartsAfterARestart: what first work makes good for comes back with a restart once for each
// stream, and for work only.
func TestStartsAfterARestart(t *testing.T) {
	t.Parallel()
	const gwei = 1_000_000_000
	dir := t.TempDir()
	limited := func(o *sender.Options) { o.Limits.MaxCredit = core.NewWei(100 * gwei) }
	k := begin(t, dir, limited)
	n := byte(0)
	paid := func(work int64) (tickets int) {
		for range 20 {
			n++
			s := terms(params(n, 10*gwei), func(t *sender.Terms) {
				t.Key, t.Payee, t.Model, t.Push = core.ManifestID(fmt.Sprint(n)), cheat, "", "film"
			})
			p, err := k.Pay(t.Context(), s, 10)
			if err != nil {
				return tickets
			}
			tickets += len(p.Tickets)
			p.Settle(sender.Served, work)
			p.Received(work)
		}
		return tickets
	}
	if got := paid(1); got < 10 || got > 14 {
		t.Errorf("%d tickets at first", got)
	}
	for _, row := range []struct {
		work int64
		most int
	}{{0, 0}, {1, 4}, {1, 4}} {
		k.close()
		db := openDB(t, dir)
		credits := readCredits(t, db)
		k = begin(t, dir, func(o *sender.Options) { limited(o); o.Credits = credits })
		if got := paid(row.work); got > row.most {
			t.Errorf("%d tickets after a restart for %d wei of work each, at most %d", got, row.work, row.most)
		}
	}
}

// TestOneClientAtOnce: what is in progress counts, so that jobs that begin at once and are left at once waste no more.
func TestOneClientAtOnce(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), bounded)
	var open []*sender.Payment
	paid := 0
	for n := range 100 {
		s := of("bad", n)
		s.Model = "m" // jobs do not wait for others
		p, err := k.Pay(t.Context(), s, 1000)
		if errors.Is(err, fault.CreditInUse) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		open, paid = append(open, p), paid+1000*len(p.Tickets)
	}
	if paid > 15_000 {
		t.Errorf("%d wei are in progress for one client", paid)
	}
	pay(t, k, of("good", 0), 1000)
	for _, p := range open {
		p.Settle(sender.Abandoned, 0)
	}
	pay(t, k, of("good", 1), 1000)
	if k.named() {
		t.Error("the orchestrator is stopped")
	}
}

// TestBlame: what a request may be the reason of stops no orchestrator; where another one did the same job, it does.
func TestBlame(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), bounded)
	for client := range 3 {
		for n := range 12 {
			p := pay(t, k, of(fmt.Sprint("client", client), n), 1000)
			p.Forgo()
			p.Settle(sender.Failed, 0)
		}
	}
	if k.named() {
		t.Error("the orchestrator is stopped by requests")
	}
	k, paid := begin(t, t.TempDir(), bounded), 0
	for n := range 200 {
		p, err := k.Pay(t.Context(), of(fmt.Sprint("other", n), n), 1000)
		if err != nil {
			break
		}
		paid += 1000 * len(p.Tickets)
		p.Forgo()
		p.Settle(sender.Failed, 0)
		p.Blame()
		p.Blame()
	}
	if !k.named() || paid > 100_000 {
		t.Errorf("it was paid %d wei, named %v", paid, k.named())
	}
}
