package chain_test

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
	"github.com/tuttinode/tutti/pm/redeemer"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// orchestratorBooks is an orchestrator's books and its redeemer on a test chain.
type orchestratorBooks struct {
	*redeemer.Redeemer
	books *ledger.Ledger
	opt   redeemer.Options
	board *health.Board
	stop  func()
}

func newOrchestratorBooks(t *testing.T, n *node) *orchestratorBooks {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	board := health.New(log, time.Now, nil)
	books, _, err := ledger.Open(t.Context(), ledger.Options{DB: open(t, t.TempDir()), Rand: rand.Reader, Now: time.Now,
		Board: board, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(running(books))
	c := &orchestratorBooks{books: books, board: board, opt: redeemer.Options{
		Ledger: books, Chain: n, Actor: n, Recipient: n.Account(), Board: board, Log: log, Now: time.Now,
		InFlight: 16, Confirmations: 5, FinalAfter: time.Second, Pace: 20 * time.Millisecond, Poll: 100 * time.Millisecond,
		Retry: 100 * time.Millisecond, RetryMost: time.Second,
	}}
	c.start(t)
	return c
}

func (c *orchestratorBooks) start(t *testing.T) {
	c.Redeemer = redeemer.New(c.opt)
	c.stop = running(c.Redeemer)
	t.Cleanup(c.stop)
}

// running runs a part until the returned function is called.
func running(p lifecycle.Component) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = p.Run(ctx, func() {}) })
	return sync.OnceFunc(func() {
		cancel()
		wg.Wait()
	})
}

// in counts the winners that came into one of the states.
func (c *orchestratorBooks) in(t *testing.T, states ...pm.TicketState) []pm.Winner {
	t.Helper()
	all, err := c.List(t.Context(), ledger.Filter{States: states})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Thirty winners of a gateway that can pay them all, with a reorg that
// takes transactions away and a restart in the middle: each is paid exactly once.
func TestThirtyWinners(t *testing.T) {
	t.Parallel()
	const count = 30
	c := devnet.Start(t, devnet.Options{RoundLength: 200})
	n := start(t, c, c.Key(1), nil)
	n.register(t, core.LPTTokens(10))
	gateway := start(t, c, c.Key(2), nil)
	deposit, each := eth(t, "0.2"), eth(t, "0.01")
	gateway.send(t, protocol.FundDepositAndReserve{Deposit: deposit, Reserve: eth(t, "1")})
	round(t, c)
	eventually(t, "activity", func() bool { return n.View().Self.Active && n.View().Round.Initialized })
	till := newOrchestratorBooks(t, n)
	for i := range uint64(count) {
		ticket := coretest.Ticket(c.Key(2), n.Account(), each, i, n.View().Round)
		w := pm.Winner{Hash: ticket.Hash(), Ticket: ticket, Account: pm.Account{Sender: ticket.Sender},
			ExpirationBlock: n.View().Head.L1 + 5, Won: time.Now()}
		if i%3 == 0 {
			if err := till.Queue(t.Context(), w); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := till.books.Append(t.Context(), pm.Entries{Winners: []pm.Winner{w}}); err != nil {
			t.Fatal(err)
		}
		till.Won(w)
	}
	c.Mine(10)
	if early := till.in(t, pm.TicketSubmitted, pm.TicketMined); len(early) > 0 || redemptions(n) > 0 {
		t.Fatalf("%d were redeemed before their parameters expired", len(early))
	}
	c.AdvanceL1(8) // past the redeemer's margin
	c.Mine(1)
	eventually(t, "some payouts", func() bool { return len(till.in(t, pm.TicketMined)) >= 5 })
	if _, err := c.Control.Reorg(t.Context(), control.Reorg{Depth: 3, Forget: true}); err != nil {
		t.Fatal(err)
	}
	c.Mine(4)
	eventually(t, "more payouts", func() bool { return len(till.in(t, pm.TicketMined, pm.TicketFinal)) >= 12 })
	till.stop()
	till.start(t)
	eventually(t, "all payouts to be final", func() bool {
		c.Mine(1)
		return len(till.in(t, pm.TicketFinal)) == count
	})
	till.agrees(t, n, gateway, each)
}

// agrees compares the books with the chain.
func (c *orchestratorBooks) agrees(t *testing.T, n, gateway *node, each core.Wei) {
	t.Helper()
	all := c.in(t)
	total := core.Wei{}
	for _, w := range all {
		p, found, err := n.FindPayout(t.Context(), w.Ticket)
		if err != nil || !found || p.Tx != w.Tx || p.Paid.Cmp(w.Paid) != 0 || w.Paid.Cmp(each) != 0 ||
			p.Fee.Cmp(w.GasFee) != 0 || w.GasFee.IsZero() {
			t.Errorf("the books have %+v, the chain %+v, %v", w, p, err)
		}
		total = total.Add(w.Paid)
	}
	d, err := n.Delegator(t.Context(), n.Account())
	if err != nil || d.PendingFees.Cmp(total) != 0 {
		t.Errorf("the books have %v ETH, the chain %v, %v", total.Ether(), d.PendingFees.Ether(), err)
	}
	// The deposit of 0.2 and 0.1 of the reserve are gone.
	s, err := n.Sender(t.Context(), gateway.Account())
	if err != nil || !s.Deposit.IsZero() || s.Reserve.FundsRemaining.Cmp(eth(t, "0.9")) != 0 {
		t.Errorf("the gateway has %+v, %v", s, err)
	}
	if got := redemptions(n); got == 0 || got > len(all)/2 {
		t.Errorf("%d transactions for %d tickets", got, len(all))
	}
	for _, one := range c.board.Snapshot() {
		if one.Code == fault.RedemptionFailing || one.Code == fault.SenderFundsLow {
			t.Errorf("%s: %s", one.Code, one.Detail)
		}
	}
}

// redemptions counts the transactions that redeemed something.
func redemptions(n *node) (sum int) {
	for _, tx := range n.Transactions() {
		one, many := (protocol.RedeemTicket{}).Verb(), (protocol.RedeemTickets{}).Verb()
		if (tx.Verb == one || tx.Verb == many) && tx.State != protocol.TxDropped {
			sum++
		}
	}
	return sum
}

func eth(t *testing.T, s string) core.Wei {
	t.Helper()
	w, err := core.ParseEther(s)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// What another account redeemed is found in the logs, and cost nothing here; what the
// books forgot of its own transactions, the transaction manager knows.
func TestRedeemedBySomebody(t *testing.T) {
	t.Parallel()
	c := devnet.Start(t, devnet.Options{RoundLength: 200})
	n := start(t, c, c.Key(1), nil)
	n.register(t, core.LPTTokens(10))
	gateway, helper := start(t, c, c.Key(2), nil), start(t, c, c.Key(3), nil)
	gateway.send(t, protocol.FundDepositAndReserve{Deposit: eth(t, "1"), Reserve: eth(t, "1")})
	round(t, c)
	eventually(t, "activity", func() bool { return n.View().Self.Active && n.View().Round.Initialized })
	till := newOrchestratorBooks(t, n)
	ticket := func(nonce uint64) pm.Winner {
		w := coretest.Ticket(c.Key(2), n.Account(), eth(t, "0.01"), nonce, n.View().Round)
		return pm.Winner{Hash: w.Hash(), Ticket: w, Account: pm.Account{Sender: w.Sender}, Won: time.Now()}
	}
	foreign, own := ticket(1), ticket(2)
	theirs := helper.send(t, protocol.RedeemTicket{Ticket: foreign.Ticket})
	ours, err := n.Send(t.Context(), protocol.RedeemTicket{Ticket: own.Ticket},
		protocol.SendOptions{Once: "redeem " + own.Hash.String()})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []pm.Winner{foreign, own} {
		if err := till.Queue(t.Context(), w); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "both to be final", func() bool {
		c.Mine(1)
		return len(till.in(t, pm.TicketFinal)) == 2
	})
	for _, w := range till.in(t, pm.TicketFinal) {
		tx, fee := theirs.Hash, core.Wei{}
		if w.Hash == own.Hash {
			tx, fee = ours.Hash, ours.Fee
		}
		if w.Tx != tx || w.GasFee.Cmp(fee) != 0 || w.Paid.Cmp(eth(t, "0.01")) != 0 {
			t.Errorf("%+v, want transaction %v and gas for %v", w, tx, fee)
		}
	}
	if got := redemptions(n); got != 1 {
		t.Errorf("%d transactions", got)
	}
}
