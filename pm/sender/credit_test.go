package sender_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm/sender"
)

const cheat = "https://cheat:8935"

// bounded is a sender that lets orchestrators hold 100 000 wei.
func bounded(o *sender.Options) { o.Limits.MaxCredit = core.NewWei(100_000) }

// session is a new one at the cheat, whose tickets are worth 30 000 wei.
func session(n byte) *sender.Terms {
	return terms(params(n, 30_000), func(t *sender.Terms) {
		t.Key, t.Session = core.ManifestID(fmt.Sprint("s", n)), core.SessionID(fmt.Sprint("s", n))
		t.Payee, t.Model, t.Push, t.Client = cheat, "", "film", fmt.Sprint("client ", n)
		t.Params.Recipient[0] = n // another one each time
	})
}

func (k *kit) named() bool {
	for _, c := range k.board.Snapshot() {
		if c.Code == fault.PaidWorkMissing && c.About == cheat {
			return true
		}
	}
	return false
}

// TestCreditIsOverSessions: new sessions and recipients begin with what the ones before
// left, by whichever way their payments were lost.
func TestCreditIsOverSessions(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(*sender.Payment){
		"refused":     func(p *sender.Payment) { p.Settle(sender.Refused, 0) },
		"short":       func(p *sender.Payment) { p.Settle(sender.Short, 0) },
		"failed":      func(p *sender.Payment) { p.Settle(sender.Failed, 0) },
		"of no use":   func(p *sender.Payment) { p.Settle(sender.Served, 30_000); p.Received(0) },
		"little work": func(p *sender.Payment) { p.Settle(sender.Served, 1); p.Received(1) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := begin(t, t.TempDir(), bounded)
			paid := 0
			for n := range byte(20) {
				p, err := k.Pay(t.Context(), session(n+1), 10)
				if err != nil {
					if !errors.Is(err, fault.PaidWorkMissing) {
						t.Fatal(err)
					}
					continue
				}
				paid += len(p.Tickets)
				lose(p)
			}
			// What a stream may leave for its first work is 32 gwei, more than all of this.
			if want := 3; paid != want && paid != want+1 && name != "little work" {
				t.Errorf("paid %d tickets, want %d", paid, want)
			}
			if name == "little work" && paid > 5 {
				t.Errorf("paid %d tickets", paid)
			}
			if !k.named() {
				t.Error("no condition names it")
			}
		})
	}
}

// TestCreditSurvives a kill: jobs that were in progress then count as lost.
func TestCreditSurvives(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	k := begin(t, dir, bounded)
	pay(t, k, session(1), 10).Settle(sender.Failed, 0)
	pay(t, k, session(2), 10)
	pay(t, k, session(3), 10)
	k.close()
	k = reopen(t, dir)
	if _, err := k.Pay(t.Context(), session(4), 10); !errors.Is(err, fault.PaidWorkMissing) {
		t.Fatalf("after the restart: %v", err)
	}
	k.close()
	if k = reopen(t, dir); !k.named() {
		t.Error("that it is stopped is forgotten")
	}
	if k.Forgive("https://other") || !k.Forgive(cheat) || k.named() {
		t.Error("forgiven is not what was named")
	}
	k.close()
	pay(t, reopen(t, dir), session(5), 10)
}

func reopen(t *testing.T, dir string) *kit {
	t.Helper()
	db := openDB(t, dir)
	credits := readCredits(t, db)
	return begin(t, dir, func(o *sender.Options) { bounded(o); o.Credits = credits })
}

// TestCreditComesBack: half of it each hour; until half of the bound it is stopped.
func TestCreditComesBack(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), bounded)
	for n := range byte(3) {
		pay(t, k, session(n+1), 10).Settle(sender.Failed, 0)
	}
	stopped := func() bool {
		p, err := k.Pay(t.Context(), session(9), 10)
		if err == nil {
			p.Settle(sender.Unsent, 0)
		}
		return errors.Is(err, fault.PaidWorkMissing)
	}
	if !stopped() {
		t.Fatal("not stopped")
	}
	k.clock.Forward(59 * time.Minute)
	if k.Sweep(); !stopped() || !k.named() {
		t.Error("it is paid again too early")
	}
	k.clock.Forward(time.Minute)
	if k.Sweep(); k.named() || stopped() {
		t.Error("it is stopped for longer than an hour")
	}
	k.clock.Forward(100 * time.Hour)
	if k.Sweep(); len(k.Credits()) != 0 {
		t.Errorf("%+v", k.Credits())
	}
}

// TestSegmentsWaitForOthers: what is in progress is no reason to stop anybody. A segment
// waits for a moment, a job of a model goes elsewhere.
func TestSegmentsWaitForOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// Three tickets leave an eighth of it.
		k := begin(t, t.TempDir(), func(o *sender.Options) { o.Limits.MaxCredit = core.NewWei(105_000) })
		var open []*sender.Payment
		for n := range byte(3) {
			open = append(open, pay(t, k, session(n+1), 10))
		}
		job := terms(params(8, 30_000), func(t *sender.Terms) { t.Payee = cheat })
		if _, err := k.Pay(t.Context(), job, 10); !errors.Is(err, fault.CreditInUse) {
			t.Errorf("a job: %v", err)
		}
		if _, err := k.Pay(t.Context(), session(4), 10); !errors.Is(err, fault.CreditInUse) {
			t.Errorf("a segment, after its wait: %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		done := make(chan error, 1)
		go func() {
			_, err := k.Pay(ctx, session(5), 10)
			done <- err
		}()
		synctest.Wait()
		open[0].Settle(sender.Served, 30_000)
		open[0].Received(30_000)
		if err := <-done; err != nil || k.named() {
			t.Errorf("a segment that another one made room for: %v", err)
		}
		k.close()
	})
}

// TestWorkIsCountedOnce, and what was not sent not at all.
func TestWorkIsCountedOnce(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), bounded)
	p := pay(t, k, session(1), 10)
	p.Settle(sender.Unsent, 0)
	p.Received(0)
	p = pay(t, k, session(2), 10)
	p.Settle(sender.Failed, 0)
	p.Received(30_000)
	p.Settle(sender.Served, 30_000)
	got := k.Credits()
	if len(got) != 1 || got[0].Payee != cheat || got[0].InProgress.Sign() != 0 || got[0].Stopped {
		t.Fatalf("%+v", got)
	}
	roughly(t, got[0].Unworked, 30_001)
	// What a client did not wait for makes good for nothing.
	pay(t, k, session(3), 10_000).Settle(sender.Abandoned, 0)
	roughly(t, k.Credits()[0].Unworked, 60_002)
	p = pay(t, k, session(4), 10_000)
	p.Settle(sender.Served, 10_000)
	p.Received(10_000)
	if got = k.Credits(); got[0].Unworked.Sign() != 0 { // its first work makes good for more
		t.Errorf("%+v", got)
	}
	// Besides work it is excused, but a ticket's worth is no job's.
	pay(t, k, session(5), 4000).Settle(sender.Abandoned, 0)
	roughly(t, k.Credits()[0].Unworked, 30_001-4000)
	pay(t, k, session(6), 4000).Settle(sender.Abandoned, 0)
	roughly(t, k.Credits()[0].Unworked, 60_002-5000)
}

// TestClientsThatLeave: an orchestrator that does not answer until clients leave is paid no
// more for it than for errors, and is not stopped by what may be the clients' doing.
func TestClientsThatLeave(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), bounded)
	paid := 0
	for n := range byte(20) {
		p, err := k.Pay(t.Context(), session(n+1), 29_000) // a ticket
		if err == nil {
			paid += len(p.Tickets)
			p.Settle(sender.Abandoned, 0)
		}
	}
	if paid != 2 || k.named() {
		t.Errorf("paid %d tickets", paid)
	}
}

// TestWordsBeforeAClientLeft: what came of a job before its client left is work, and more may
// be left for it; the words are not counted twice.
func TestWordsBeforeAClientLeft(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), bounded)
	for n := range byte(20) {
		p, err := k.Pay(t.Context(), session(n+1), 29_000) // a ticket
		if err != nil {
			t.Fatalf("job %d: %v", n, err)
		}
		p.Settle(sender.Served, 29_000)
		p.LeftAfter(20_000, 29_000)
		p.Received(0) // the first counts
	}
	if k.named() {
		t.Error("an orchestrator that worked is stopped")
	}
	k = begin(t, t.TempDir(), bounded)
	paid := 0
	for n := range byte(20) {
		if p, err := k.Pay(t.Context(), session(n+1), 29_000); err == nil {
			paid += len(p.Tickets)
			p.Settle(sender.Served, 29_000)
			p.LeftAfter(10, 29_000)
		}
	}
	if paid > 4 {
		t.Errorf("paid %d tickets for a few words each", paid)
	}
}

// TestAClockThatWasAhead leaves nothing behind that lasts as long as it was.
func TestAClockThatWasAhead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	k := begin(t, dir, bounded)
	k.clock.Forward(10 * 365 * 24 * time.Hour)
	for n := range byte(3) {
		pay(t, k, session(n+1), 10).Settle(sender.Failed, 0)
	}
	k.close()
	k = reopen(t, dir) // its clock is right
	for range 3 {
		k.clock.Forward(time.Hour)
		k.Sweep()
	}
	if _, err := k.Pay(t.Context(), session(9), 10); err != nil {
		t.Errorf("three hours later: %v", err)
	}
}
