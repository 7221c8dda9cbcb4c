package redeemer_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
	"github.com/tuttinode/tutti/pm/redeemer"
	"github.com/tuttinode/tutti/test/coretest"
)

// winners are n winners of a gateway that can all be redeemed at once.
func (r *rig) winners(n int) (all []protocol.Hash) {
	for range n {
		all = append(all, r.book(r.ticket(1, "0.01", 1)))
	}
	r.chain.AdvanceL1(1)
	pass(2 * time.Second)
	return all
}

// costs adds up what the books say that tickets cost, and the chain what was paid for.
func (r *rig) costs(all []protocol.Hash) (books, chain core.Wei) {
	for _, h := range all {
		books = books.Add(r.books.winner(h).GasFee)
	}
	for _, tx := range r.chain.Transactions() {
		chain = chain.Add(tx.Fee)
	}
	return books, chain
}

func TestWinnersGoTogether(t *testing.T) {
	run(t, func(r *rig) {
		r.fund(1, "1", "0")
		r.chain.SetBaseFee(core.NewWei(1_000_007))
		all := r.winners(20)
		r.settle()
		r.count(all, pm.TicketFinal)
		if n := len(r.chain.Sent()); n != 2 {
			t.Errorf("%d transactions for %d tickets", n, len(all))
		}
		if books, chain := r.costs(all); books.Cmp(chain) != 0 {
			t.Errorf("the books have %v wei for gas, the chain %v", books, chain)
		}
	})
}

// A batch succeeds although the contract refuses all of its tickets. They are taken back,
// for the contract's reason, and paid when that is over; the gas is booked once.
func TestARefusedBatchIsTakenBack(t *testing.T) {
	run(t, func(r *rig) {
		r.fund(1, "1", "0")
		r.chain.Hold(true)
		all := r.winners(5)
		r.count(all, pm.TicketSubmitted)
		paid := protocol.Sender{Deposit: ether("1")}
		gone := paid
		gone.WithdrawRound = r.chain.View().Round.Number
		r.chain.SetSender(coretest.AddressOf(key(1)), gone)
		r.chain.Hold(false)
		r.blocks(60, 0)
		r.count(all, pm.TicketQueued)
		list, err := r.List(context.Background(), ledger.Filter{Hash: all[0]})
		if err != nil || len(list) != 1 || codeOf(list[0].Reason) != fault.SenderUnlocked {
			t.Errorf("%+v, %v", list, err)
		}
		if books, chain := r.costs(all); books.Cmp(chain) != 0 || books.IsZero() {
			t.Errorf("the books have %v wei for gas, the chain %v", books, chain)
		}
		r.chain.SetSender(coretest.AddressOf(key(1)), paid)
		r.blocks(400, 0)
		r.count(all, pm.TicketFinal)
		if books, chain := r.costs(all); books.Cmp(chain) != 0 {
			t.Errorf("the books have %v wei for gas, the chain %v", books, chain)
		}
	})
}

// What is left of a batch whose other tickets must not be sent is a ticket of its own: when the
// contract refuses it, it is taken back at once.
func TestTheLastOfABatchGoesAlone(t *testing.T) {
	var may protocol.Hash
	run(t, func(r *rig) {
		r.fund(1, "1", "0")
		r.chain.Hold(true)
		all := []pm.Winner{r.ticket(1, "0.01", 1), r.ticket(1, "0.01", 1), r.ticket(1, "0.01", 1)}
		may = all[1].Hash
		for _, w := range all {
			r.book(w)
		}
		r.chain.AdvanceL1(1)
		pass(2 * time.Second)
		r.is(may, pm.TicketSubmitted, "0")
		gone := protocol.Sender{Deposit: ether("1"), WithdrawRound: r.chain.View().Round.Number}
		r.chain.SetSender(coretest.AddressOf(key(1)), gone)
		r.chain.Hold(false)
		r.blocks(60, 0)
		r.is(may, pm.TicketQueued, "0")
	}, func(o *redeemer.Options) {
		o.Sending = func(_ context.Context, ticket protocol.Hash, _ protocol.L1Block) error {
			if ticket != may {
				return fault.New(fault.StoreTakeover, "send", "another process may be about to send it")
			}
			return nil
		}
	})
}

// A ticket that the contract refuses within a batch holds up none of the others.
func TestABatchPassesOverOneTicket(t *testing.T) {
	run(t, func(r *rig) {
		r.fund(1, "1", "0")
		r.chain.Hold(true)
		all := r.winners(5)
		if err := r.chain.RedeemElsewhere(r.books.winner(all[2]).Ticket); err != nil {
			t.Fatal(err)
		}
		r.chain.Hold(false)
		r.settle()
		r.count(all, pm.TicketFinal)
		if w := r.books.winner(all[2]); !w.GasFee.IsZero() {
			t.Errorf("%v wei for gas of a ticket that another account redeemed", w.GasFee)
		}
	})
}

// limited is an actor whose estimates say something else.
type limited struct {
	*coretest.Chain
	change func(*protocol.Estimate)
}

func (l limited) Estimate(ctx context.Context, a protocol.Action) (protocol.Estimate, error) {
	e, err := l.Chain.Estimate(ctx, a)
	l.change(&e)
	return e, err
}

// No batch is larger than the operator's gas limit, or than the account's money carries.
func TestBatchesFitTheLimits(t *testing.T) {
	for name, row := range map[string]struct {
		change func(*protocol.Estimate)
		most   int
	}{
		"a gas limit for one":       {func(e *protocol.Estimate) { e.Used, e.Gas = 0, 600_000 }, 1},
		"a gas limit for three":     {func(e *protocol.Estimate) { e.Used, e.Gas = 0, 600_000*3 }, 3},
		"money for two":             {func(e *protocol.Estimate) { e.Left = gasCost(e.Price, 1_100_000) }, 2},
		"no money but for the last": {func(e *protocol.Estimate) { e.Left = core.Wei{} }, 1},
		"tickets that take much":    {func(e *protocol.Estimate) { e.Gas = 5_000_000 }, 3},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(r *rig) {
				r.fund(1, "1", "0")
				all := r.winners(6)
				r.settle()
				r.count(all, pm.TicketFinal)
				for _, a := range r.chain.Sent() {
					if n := len(ticketsOf(a)); n > row.most {
						t.Errorf("%d tickets in one transaction", n)
					}
				}
			}, func(o *redeemer.Options) { o.Actor = limited{o.Chain.(*coretest.Chain), row.change} })
		})
	}
}

func gasCost(price core.Wei, gas uint64) (sum core.Wei) {
	n := price.Big()
	w, _ := core.WeiOf(n.Mul(n, core.NewWei(gas).Big()))
	return w
}

// What was not redeemed because others were first says so, and what was won too late for
// its rounds says that.
func TestReasonsOfTicketsThatExpired(t *testing.T) {
	run(t, func(r *rig) {
		r.fund(1, "10", "0")
		r.chain.Hold(true)
		all := r.winners(40)
		late := r.book(r.ticket(1, "0.01", 300))
		pass(time.Minute)
		r.chain.SetStale(true)
		r.chain.ToRound(r.chain.View().Round.Number + 3)
		r.chain.Open()
		r.chain.SetStale(false)
		pass(time.Minute)
		queued := 0
		for _, h := range all {
			if w := r.books.winner(h); w.State == pm.TicketExpired && r.sent(h) == 0 {
				queued++
				if !strings.HasPrefix(w.Reason, string(fault.RedemptionQueued)) {
					t.Errorf("%s for %q", w.State, w.Reason)
				}
			}
		}
		if queued < 20 {
			t.Errorf("%d expired", queued)
		}
		if w := r.books.winner(late); !strings.Contains(w.Reason, "its parameters expired only at layer-1 block") {
			t.Errorf("%s for %q", w.State, w.Reason)
		}
	}, func(o *redeemer.Options) { o.InFlight = 1 })
}
