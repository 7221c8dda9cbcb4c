package redeemer_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
	"github.com/tuttinode/tutti/pm/redeemer"
	"github.com/tuttinode/tutti/test/coretest"
)

func TestQueue(t *testing.T) {
	run(t, func(r *rig) {
		r.fund(1, "1", "0")
		good := r.ticket(1, "0.1", 2)
		good.Account = pm.Account{}
		spoilt := func(f func(*pm.Winner)) pm.Winner {
			w := good
			f(&w)
			w.Hash = protocol.Hash{}
			return w
		}
		resigned := func(f func(*protocol.WinningTicket)) pm.Winner {
			return spoilt(func(w *pm.Winner) { f(&w.Ticket); w.Ticket = coretest.SignTicket(key(1), w.Ticket) })
		}
		for _, tt := range []struct {
			code fault.Code
			w    pm.Winner
		}{
			{fault.TicketForeign, resigned(func(t *protocol.WinningTicket) { t.Recipient = core.Address{2} })},
			{fault.TicketSecretWrong, resigned(func(t *protocol.WinningTicket) { t.RecipientRand[0]++ })},
			{fault.TicketNotWinning, resigned(func(t *protocol.WinningTicket) { t.WinProb = protocol.Word{} })},
			{fault.TicketSignatureWrong, spoilt(func(w *pm.Winner) { w.Ticket.SenderNonce++ })},
			{fault.TicketSignatureWrong, spoilt(func(w *pm.Winner) { w.Ticket.Signature[64] = 0 })},
			{fault.TicketMalformed, spoilt(func(w *pm.Winner) { w.Ticket.Sender = core.Address{} })},
			{fault.TicketExpired, resigned(func(t *protocol.WinningTicket) { t.CreationRound -= 2 })},
		} {
			if err := r.Queue(context.Background(), tt.w); !errors.Is(err, tt.code) {
				t.Errorf("%v, want %s", err, tt.code)
			}
		}
		wrong := good
		wrong.Hash[0]++
		if err := r.Queue(context.Background(), wrong); !errors.Is(err, fault.TicketMalformed) {
			t.Errorf("another hash: %v", err)
		}
		r.books.fail(errors.New("disk full"))
		if err := r.Queue(context.Background(), good); err == nil {
			t.Error("queued what is not stored")
		}
		r.books.fail(nil)
		for range 2 {
			if err := r.Queue(context.Background(), good); err != nil {
				t.Fatal(err)
			}
		}
		second := r.ticket(1, "0.1", 2)
		if err := r.Queue(context.Background(), second); !errors.Is(err, fault.RedeemerFull) {
			t.Errorf("beyond the bound: %v", err)
		}
		r.blocks(2, 1)
		r.settle()
		r.is(good.Hash, pm.TicketFinal, "0.1")
		if err := r.Queue(context.Background(), good); err != nil {
			t.Errorf("after it was paid: %v", err)
		}
		r.settle()
		if r.sent(good.Hash) != 1 {
			t.Errorf("sent %d times", r.sent(good.Hash))
		}
	}, func(o *redeemer.Options) { o.MaxQueued = 1 })
}

func TestRetryAndList(t *testing.T) {
	run(t, func(r *rig) {
		r.fund(1, "1", "0")
		if err := r.Retry(context.Background(), protocol.Hash{1}); !errors.Is(err, fault.TicketUnknown) {
			t.Errorf("%v", err)
		}
		h := r.win(r.ticket(1, "0.1", 100))
		if err := r.Retry(context.Background(), h); !errors.Is(err, fault.TicketNotFailed) {
			t.Errorf("%v", err)
		}
		failing := fault.New(fault.TicketRoundUnknown, "redeem", "an endpoint that lags behind")
		r.chain.Refuse(func(protocol.Action) error { return failing })
		failed := r.win(r.ticket(1, "0.2", 0))
		r.settle()
		r.is(failed, pm.TicketFailed, "0")
		all, err := r.List(context.Background(), ledger.Filter{States: []pm.TicketState{pm.TicketFailed}})
		if err != nil || len(all) != 1 || all[0].Hash != failed {
			t.Errorf("%+v, %v", all, err)
		}
		r.chain.Refuse(nil)
		if err := r.Retry(context.Background(), failed); err != nil {
			t.Fatal(err)
		}
		r.settle()
		r.is(failed, pm.TicketFinal, "0.2")
		r.chain.Refuse(func(protocol.Action) error { return failing })
		late := r.win(r.ticket(1, "0.2", 0))
		r.settle()
		r.chain.ToRound(r.chain.View().Round.Number + 2)
		if err := r.Retry(context.Background(), late); !errors.Is(err, fault.TicketExpired) {
			t.Errorf("%v", err)
		}
	})
}

func TestMaxFloat(t *testing.T) {
	run(t, func(r *rig) {
		r.fund(1, "1", "3")
		ctx, cancel := context.WithCancel(context.Background())
		var sent []string
		done := make(chan error, 1)
		go func() {
			done <- r.WatchMaxFloat(ctx, coretest.AddressOf(key(1)), func(w core.Wei) error {
				sent = append(sent, w.Ether())
				return nil
			})
		}()
		synctest.Wait()
		r.chain.SetBaseFee(core.NewWei(1e13))
		h := r.win(r.ticket(1, "0.5", 0))
		pass(1e9)
		if p := r.Pending(coretest.AddressOf(key(1))); p.Cmp(ether("0.5")) != 0 {
			t.Errorf("pending %v", p.Ether())
		}
		r.chain.SetBaseFee(core.NewWei(1e7))
		r.settle()
		r.is(h, pm.TicketFinal, "0.5")
		if p := r.Pending(coretest.AddressOf(key(1))); !p.IsZero() {
			t.Errorf("pending %v", p.Ether())
		}
		r.chain.Register(core.Address{7}, core.LPTTokens(10), "")
		synctest.Wait()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		want := []string{"3", "2.5", "3", "1.5"}
		if len(sent) != len(want) {
			t.Fatalf("told %v", sent)
		}
		for i := range want {
			if sent[i] != want[i] {
				t.Errorf("told %v, want %v", sent, want)
			}
		}
		stop := errors.New("gone")
		if err := r.WatchMaxFloat(context.Background(), coretest.AddressOf(key(1)),
			func(core.Wei) error { return stop }); !errors.Is(err, stop) {
			t.Errorf("%v", err)
		}
	})
}

// A ledger that cannot be read is the one failure of a start.
func TestStartFails(t *testing.T) {
	t.Parallel()
	b := newBooks()
	b.failRead = errors.New("torn")
	r := redeemer.New(redeemer.Options{Ledger: b, Chain: coretest.NewChain(me, me), Recipient: me})
	if err := r.Run(context.Background(), func() { t.Error("ready") }); !errors.Is(err, b.failRead) {
		t.Errorf("%v", err)
	}
}
