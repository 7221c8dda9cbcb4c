package redeemer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/redeemer"
	"github.com/tuttinode/tutti/test/coretest"
)

// caseErrors are what a case found wrong.
type caseErrors struct {
	mu  sync.Mutex
	all []string
}

func (c *caseErrors) Helper() {}

func (c *caseErrors) Errorf(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, fmt.Sprintf(format, args...))
}

func (c *caseErrors) Fatalf(format string, args ...any) { c.Errorf(format, args...) }

// early is an actor that notes what is sent too early, or too often.
type early struct {
	*coretest.Chain
	r **rig
}

func (e early) Send(ctx context.Context, a protocol.Action, opt protocol.SendOptions) (protocol.Transaction, error) {
	r := *e.r
	l1 := r.chain.View().Head.L1
	all := ticketsOf(a)
	if len(all) == 1 {
		r.checkNotEarly(&all[0])
	}
	tx, err := e.Chain.Send(ctx, a, opt)
	for _, t := range all {
		if w := r.books.winner(t.Hash()); err == nil && l1 < w.ExpirationBlock {
			r.Errorf("ticket %d was sent at block %d, and its parameters expire at %d", t.SenderNonce, l1, w.ExpirationBlock)
		}
		if n := r.mined()[t.Hash()]; n > 1 {
			r.Errorf("ticket %d is on its way %d times", t.SenderNonce, n)
		}
	}
	return tx, err
}

// checkNotEarly fails for what is sent for a part of its value although there is time, and
// nothing but the funds of a single sender that no other redeemer draws on speaks for it.
func (r *rig) checkNotEarly(t *protocol.WinningTicket) {
	s, _ := r.chain.Watched(t.Sender)
	v := r.chain.View()
	all := s.Deposit.Add(s.Reserve.FundsRemaining)
	if v.Round.Number == t.CreationRound && s.WithdrawRound == 0 && !r.drawn && all.Cmp(t.FaceValue) < 0 {
		r.Errorf("ticket %d of %s ETH was sent for %s", t.SenderNonce, t.FaceValue.Ether(), all.Ether())
	}
}

// Whatever happens, every winner is paid exactly once, or ends with a reason while
// the chain has it as unpaid; nothing is sent twice that could be mined twice.
func TestEveryWinnerIsPaidOrExplained(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		steps := rapid.SliceOfN(rapid.IntRange(0, 19), 1, 60).Draw(rt, "steps")
		amounts := rapid.SliceOfN(rapid.IntRange(0, 11), len(steps), len(steps)).Draw(rt, "amounts")
		found := &caseErrors{}
		synctest.Test(t, func(*testing.T) {
			var r *rig
			r = newRig(found, func(o *redeemer.Options) { o.Actor = early{o.Actor.(*coretest.Chain), &r} })
			for n := range byte(3) {
				r.fund(n, "2", "1")
			}
			for i, s := range steps {
				r.happen(s, amounts[i])
			}
			r.end()
			r.checkOutcome()
		})
		if len(found.all) > 0 {
			rt.Fatalf("%s", strings.Join(found.all, "\n"))
		}
	})
}

// happen does one of the things that happen.
func (r *rig) happen(what, n int) {
	sender := byte(n % 3)
	r.drawn = r.drawn || what == 11 || what == 17 || what == 12 || what == 13 || what == 18 || what == 19
	v := r.chain.View()
	switch what {
	case 0, 1, 2, 3, 4:
		if r.books.full() {
			return
		}
		values := []string{"0.00001", "0.001", "0.1", "0.5", "3"}
		r.win(r.ticket(sender, values[(what+n)%len(values)], protocol.L1Block(n%5)))
	case 5, 6:
		r.blocks(1+n, protocol.L1Block(n%3))
	case 7:
		r.chain.ToRound(r.chain.View().Round.Number + 1)
		pass(time.Duration(n) * time.Second)
	case 8:
		r.chain.Open()
	case 9:
		r.chain.SetBaseFee(core.NewWei([]uint64{1e7, 1e9, 1e11, 1e13}[n%4]))
	case 10:
		r.chain.Hold(n%2 == 0)
	case 11:
		r.fund(sender, []string{"0", "0.2", "5"}[n/4], []string{"0", "1"}[n%2])
	case 12:
		s, _ := r.chain.Watched(coretest.AddressOf(key(sender)))
		s.WithdrawRound = map[bool]protocol.Round{true: v.Round.Number + protocol.Round(n%2)}[n%4 != 0]
		r.chain.SetSender(coretest.AddressOf(key(sender)), s)
	case 13:
		r.chain.Reorganize(protocol.L2Block(1 + n%3))
		pass(time.Duration(n%3) * time.Second)
	case 14:
		r.chain.Drop()
	case 15:
		r.restart()
	case 16:
		r.chain.FailReads(fault.New(fault.ChainNotReady, "read", "no endpoint answers"))
		pass(time.Duration(n) * time.Second)
		r.chain.Learn()
	case 17:
		r.books.fail(map[bool]error{true: errors.New("disk full")}[n%3 == 0])
		r.books.failSubmitted(n%3 == 1)
	case 18:
		r.elsewhere(n)
	case 19:
		r.chain.Register(core.Address{9, byte(n)}, core.LPTTokens(20), "")
		pass(time.Duration(n) * time.Minute)
	}
	synctest.Wait()
}

// elsewhere redeems one of the tickets as somebody else would who knows the number.
func (r *rig) elsewhere(n int) {
	all := slices.Clone(r.books.order)
	if len(all) > 0 {
		_ = r.chain.RedeemElsewhere(r.books.winner(all[n%len(all)]).Ticket)
	}
}

// end lets everything get well, and the time of all tickets pass.
func (r *rig) end() {
	r.books.fail(nil)
	r.books.failSubmitted(false)
	r.chain.Learn()
	r.chain.Hold(false)
	for range 3 {
		r.blocks(30, 1)
		pass(10 * time.Minute)
		r.blocks(2, 0)
		r.chain.ToRound(r.chain.View().Round.Number + 1)
		r.chain.Open()
	}
	for range 10 {
		r.blocks(3, 0)
		pass(10 * time.Minute)
	}
	r.stop()
}

// judge compares the books with the chain.
func (r *rig) checkOutcome() {
	ctx := context.Background()
	sends := r.mined()
	var paid, lost core.Wei
	for _, h := range r.books.order {
		w := r.books.winner(h)
		isUsed, _ := r.chain.TicketUsed(ctx, h)
		if sends[h] > 1 {
			r.Errorf("ticket %d was mined %d times", w.Ticket.SenderNonce, sends[h])
		}
		switch w.State {
		case pm.TicketFinal:
			p, found, _ := r.chain.FindPayout(ctx, w.Ticket)
			if !isUsed || !found || p.Paid.Cmp(w.Paid) != 0 || p.Tx != w.Tx || w.GasFee.Cmp(p.Fee) < 0 {
				r.Errorf("ticket %d is final with %+v, and the chain has %+v", w.Ticket.SenderNonce, w, p)
			}
			paid = paid.Add(w.Paid)
		case pm.TicketExpired, pm.TicketFailed:
			lost = lost.Add(w.Ticket.FaceValue)
			if w.State == pm.TicketExpired && !strings.Contains(w.Reason, "was its last") {
				r.Errorf("ticket %d expired for %q", w.Ticket.SenderNonce, w.Reason)
			}
			if isUsed || w.Reason == "" || !w.Paid.IsZero() {
				r.Errorf("ticket %d is %s for %q; used: %v", w.Ticket.SenderNonce, w.State, w.Reason, isUsed)
			}
		default:
			r.Errorf("ticket %d is %s forever: %s; it went %v", w.Ticket.SenderNonce, w.State, w.Reason, r.books.states(h))
		}
	}
	if d, _ := r.chain.Delegator(ctx, me); d.Fees.Cmp(paid) != 0 {
		r.Errorf("the books have %s ETH, the chain %s", paid.Ether(), d.Fees.Ether())
	}
	if d := r.condition(fault.TicketsLost); (d == "") != lost.IsZero() || d != "" &&
		!strings.HasPrefix(d, lost.Ether()+" ETH in ") {
		r.Errorf("%s ETH were lost, told is %q", lost.Ether(), d)
	}
	for _, wrong := range r.books.wrong {
		r.Errorf("%s", wrong)
	}
}

// mined counts, for each ticket, the transactions that did it or may still do it.
func (r *rig) mined() map[protocol.Hash]int {
	out := make(map[protocol.Hash]int)
	sent := r.chain.Sent() // first: there are as many transactions, or more
	txs := r.chain.Transactions()
	for i, a := range sent {
		if s := txs[i].State; s == protocol.TxFailed || s == protocol.TxDropped {
			continue
		}
		for _, t := range ticketsOf(a) {
			if txs[i].State == protocol.TxSubmitted || r.redeemedIn(t, txs[i].Hash) {
				out[t.Hash()]++
			}
		}
	}
	return out
}

// redeemedIn reports whether a transaction redeemed a ticket.
func (r *rig) redeemedIn(t protocol.WinningTicket, tx protocol.TxHash) bool {
	p, found, _ := r.chain.FindPayout(context.Background(), t)
	return found && p.Tx == tx
}
