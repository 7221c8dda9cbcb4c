package redeemer_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/redeemer"
	"github.com/tuttinode/tutti/test/coretest"
)

// stuck is a chain that never tells one sender's funds.
type stuck struct {
	*coretest.Chain
	sender core.Address
}

func (s stuck) SenderFunds(ctx context.Context, addr core.Address) (protocol.SenderFunds, error) {
	if addr == s.sender {
		<-ctx.Done()
		return protocol.SenderFunds{}, ctx.Err()
	}
	return s.Chain.SenderFunds(ctx, addr)
}

// One sender's problem holds up no other: its funds that cannot be read, that are
// free to withdraw, that are none.
func TestSendersAreIndependent(t *testing.T) {
	run(t, func(r *rig) {
		r.fund(2, "0", "0")
		r.fund(3, "1", "0")
		r.fund(4, "1", "0")
		r.chain.SetSender(coretest.AddressOf(key(3)), protocol.Sender{Deposit: ether("1"),
			WithdrawRound: r.chain.View().Round.Number})
		var bad []protocol.Hash
		for n := range byte(3) {
			for range 30 {
				bad = append(bad, r.win(r.ticket(1+n, "0.01", 20)))
			}
		}
		good := r.win(r.ticket(4, "0.01", 20))
		r.blocks(20, 1)
		r.blocks(3, 0)
		r.is(good, pm.TicketMined, "0.01")
		for _, h := range bad {
			if w := r.books.winner(h); w.State != pm.TicketQueued || r.sent(h) != 0 {
				t.Fatalf("%s: %s", w.State, w.Reason)
			}
		}
		if d := r.condition(fault.SenderFundsLow); d == "" {
			t.Error("no word of who owes more than it has")
		}
	}, func(o *redeemer.Options) {
		o.Chain = stuck{o.Chain.(*coretest.Chain), coretest.AddressOf(key(1))}
	})
}

func TestRedeemedElsewhere(t *testing.T) {
	run(t, func(r *rig) {
		r.fund(1, "1", "0")
		w := r.ticket(1, "0.5", 3)
		h := r.win(w)
		if err := r.chain.RedeemElsewhere(w.Ticket); err != nil {
			t.Fatal(err)
		}
		r.blocks(3, 1)
		r.settle()
		if w := r.is(h, pm.TicketFinal, "0.5"); !w.GasFee.IsZero() || w.Tx.IsZero() || r.sent(h) != 0 {
			t.Errorf("%+v", w)
		}
		// Also when that is found only after its rounds.
		w = r.ticket(1, "0.25", 0)
		r.chain.Forget()
		late := r.win(w)
		r.chain.Learn()
		r.chain.SetStale(true)
		if err := r.chain.RedeemElsewhere(w.Ticket); err != nil {
			t.Fatal(err)
		}
		r.chain.ToRound(r.chain.View().Round.Number + 3)
		r.chain.SetStale(false)
		r.settle()
		r.is(late, pm.TicketFinal, "0.25")
	})
}

func TestDeadTicketsFail(t *testing.T) {
	run(t, func(r *rig) {
		r.fund(1, "1", "0")
		for code, spoil := range map[fault.Code]func(*protocol.WinningTicket){
			fault.TicketRoundUnknown: func(t *protocol.WinningTicket) { t.CreationRoundHash[0]++ },
			fault.TicketSecretWrong:  func(t *protocol.WinningTicket) { t.RecipientRand[0]++ },
			fault.TicketNotWinning:   func(t *protocol.WinningTicket) { t.WinProb = protocol.Word{} },
		} {
			ticket := r.ticket(1, "0.1", 0).Ticket
			spoil(&ticket)
			h := r.win(winner(coretest.SignTicket(key(1), ticket), 0))
			r.settle()
			if w := r.is(h, pm.TicketFailed, "0"); codeOf(w.Reason) != code || r.sent(h) != 0 {
				t.Errorf("%s, want %s", w.Reason, code)
			}
			if err := r.Retry(context.Background(), h); err != nil {
				t.Errorf("retry: %v", err)
			}
			r.settle()
			r.is(h, pm.TicketFailed, "0")
		}
	})
}

// While the protocol is paused, or its round is closed, all wait, and nobody counts
// that as a failure.
func TestClosedAndPaused(t *testing.T) {
	run(t, func(r *rig) {
		r.fund(1, "1", "0")
		r.chain.SetParameters(func(p *protocol.Parameters) { p.Paused = true })
		h := r.win(r.ticket(1, "0.1", 0))
		r.settle()
		r.is(h, pm.TicketQueued, "0")
		r.chain.ToRound(r.chain.View().Round.Number + 1)
		r.chain.SetParameters(func(p *protocol.Parameters) { p.Paused = false })
		r.blocks(900, 0)
		r.is(h, pm.TicketQueued, "0")
		if d := r.condition(fault.RedemptionFailing); d != "" {
			t.Errorf("%q", d)
		}
		r.chain.Open()
		r.blocks(310, 0)
		r.settle()
		r.is(h, pm.TicketFinal, "0.1")
	})
}

func TestEndpointsFail(t *testing.T) {
	run(t, func(r *rig) {
		r.fund(1, "1", "0")
		r.chain.FailReads(fault.New(fault.ChainNotReady, "read", "no endpoint answers"))
		h := r.win(r.ticket(1, "0.1", 0))
		r.blocks(900, 0)
		r.is(h, pm.TicketQueued, "0")
		r.chain.Learn()
		r.blocks(301, 0)
		r.is(h, pm.TicketFinal, "0.1")
		r.chain.FailReads(fault.New(fault.ChainNotReady, "read", "no endpoint answers"))
		second := r.win(r.ticket(1, "0.1", 0))
		r.blocks(900, 0)
		if d := r.condition(fault.RedemptionFailing); d != "ChainNotReady: no endpoint answers" {
			t.Errorf("%q", d)
		}
		r.is(h, pm.TicketFinal, "0.1")
		r.chain.Learn()
		r.blocks(400, 0)
		r.is(h, pm.TicketFinal, "0.1")
		r.is(second, pm.TicketFinal, "0.1")
		if d := r.condition(fault.RedemptionFailing); d != "" {
			t.Errorf("%q", d)
		}
	})
}

// A transaction that fails in its block costs gas, and the ticket is not lost.
func TestReverted(t *testing.T) {
	run(t, func(r *rig) {
		r.fund(1, "1", "0")
		r.chain.Hold(true)
		h := r.win(r.ticket(1, "0.1", 0))
		pass(10 * time.Second)
		r.is(h, pm.TicketSubmitted, "0")
		r.fund(1, "0", "0")
		r.blocks(2, 0)
		w := r.is(h, pm.TicketQueued, "0")
		if codeOf(w.Reason) != fault.SenderEmpty || w.GasFee.IsZero() {
			t.Errorf("%+v", w)
		}
		r.chain.Hold(false)
		r.fund(1, "1", "0")
		r.blocks(100, 0)
		if again := r.is(h, pm.TicketFinal, "0.1"); again.GasFee.Cmp(w.GasFee.Add(w.GasFee)) != 0 || r.sent(h) != 2 {
			t.Errorf("%v gas for two attempts, of which one cost %v", again.GasFee, w.GasFee)
		}
	})
}

func TestReorganization(t *testing.T) {
	run(t, func(r *rig) {
		r.fund(1, "1", "0")
		h := r.win(r.ticket(1, "0.1", 0))
		pass(10 * time.Second)
		r.is(h, pm.TicketMined, "0.1")
		r.chain.Reorganize(1)
		pass(2 * time.Second)
		if w := r.books.winner(h); w.State == pm.TicketMined {
			t.Errorf("it is %s still", w.State)
		}
		r.settle()
		r.is(h, pm.TicketFinal, "0.1")
		if r.sent(h) != 1 {
			t.Errorf("sent %d times", r.sent(h))
		}
		// The transaction vanishes altogether.
		h = r.win(r.ticket(1, "0.1", 0))
		pass(10 * time.Second)
		r.chain.Reorganize(1)
		r.chain.Drop()
		r.blocks(120, 0)
		r.is(h, pm.TicketFinal, "0.1")
		if d, _ := r.chain.Delegator(context.Background(), me); d.Fees.Cmp(ether("0.2")) != 0 {
			t.Errorf("earned %v", d.Fees)
		}
	})
}

// A ledger that cannot be written holds everything up, and loses nothing.
func TestLedgerFails(t *testing.T) {
	run(t, func(r *rig) {
		r.fund(1, "1", "0")
		h := r.win(r.ticket(1, "0.1", 2))
		r.books.fail(errors.New("disk full"))
		r.blocks(3, 1)
		r.settle()
		r.is(h, pm.TicketWon, "0")
		r.books.fail(nil)
		r.blocks(70, 0)
		r.is(h, pm.TicketFinal, "0.1")
		if len(r.changed) == 0 || r.sent(h) != 1 {
			t.Errorf("told %d times, sent %d times", len(r.changed), r.sent(h))
		}
	})
}

// Wherever it is stopped, it goes on from there.
func TestRestart(t *testing.T) {
	for name, until := range map[string]func(r *rig){
		"won":       func(*rig) {},
		"queued":    func(r *rig) { r.chain.SetBaseFee(core.NewWei(1e13)); r.blocks(3, 1) },
		"submitted": func(r *rig) { r.chain.Hold(true); r.blocks(2, 1); r.chain.AdvanceL1(1); pass(5 * time.Second) },
		"mined":     func(r *rig) { r.blocks(3, 1); pass(time.Second) },
		"final":     func(r *rig) { r.blocks(3, 1); r.settle() },
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(r *rig) {
				r.fund(1, "1", "0")
				h := r.win(r.ticket(1, "0.1", 3))
				until(r)
				r.is(h, pm.TicketState(name), map[string]string{"mined": "0.1", "final": "0.1"}[name]+"0")
				r.restart()
				r.chain.Hold(false)
				r.chain.SetBaseFee(core.NewWei(1e7))
				r.blocks(3, 1)
				r.restart()
				r.settle()
				r.is(h, pm.TicketFinal, "0.1")
				if r.sent(h) != 1 {
					t.Errorf("sent %d times", r.sent(h))
				}
			})
		})
	}
}

// lonely is a chain of which one endpoint answers: nothing is proven.
type lonely struct {
	*coretest.Chain
	alone bool
}

func (c *lonely) TicketUsed(ctx context.Context, ticket protocol.Hash) (bool, error) {
	if c.alone {
		return false, fault.New(fault.ChainDisputed, "read", "only one endpoint answers")
	}
	return c.Chain.TicketUsed(ctx, ticket)
}

// A good ticket does not end because the one endpoint that answers says that its round
// has no hash, which the ticket itself does not show.
func TestOneEndpointBuriesNoTicket(t *testing.T) {
	one := &lonely{alone: true}
	run(t, func(r *rig) {
		one.Chain = r.chain
		r.fund(1, "1", "0")
		r.chain.Refuse(func(protocol.Action) error {
			return fault.New(fault.TicketRoundUnknown, "redeem", "as one endpoint says")
		})
		h := r.win(r.ticket(1, "0.1", 0))
		r.settle()
		r.is(h, pm.TicketQueued, "0")
		r.chain.Refuse(nil)
		r.blocks(600, 0)
		r.is(h, pm.TicketMined, "0.1")
		one.alone = false
		r.blocks(600, 0)
		r.is(h, pm.TicketFinal, "0.1")
	}, func(o *redeemer.Options) { one.Chain, o.Chain = o.Chain.(*coretest.Chain), one })
}
