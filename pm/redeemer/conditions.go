package redeemer

import (
	"bytes"
	"cmp"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// failureStreak is a run of failures that are not a ticket's own.
type failureStreak struct {
	since, last time.Time
	reason      string
}

// gasMoneyMissing reports whether the account could not pay for gas.
func (t *failureStreak) gasMoneyMissing() bool { return codeOf(t.reason) == fault.GasMoneyMissing }

func (t *failureStreak) add(now time.Time, reason string) {
	if t.since.IsZero() {
		t.since = now
	}
	t.last, t.reason = now, reason
}

// updateConditionsLocked sets and clears the conditions that follow from the tickets.
func (r *Redeemer) updateConditionsLocked(m *snapshot) {
	r.updateFailingLocked(m)
	r.updateExpiringLocked(m)
	r.updateFundsLowLocked(m)
	r.updateLostLocked(m.now)
	r.updateDisputedLocked()
}

func (r *Redeemer) setCondition(key health.Key, holds bool, detail string) {
	if holds {
		r.opt.Board.Set(key, detail)
		return
	}
	r.opt.Board.Clear(key)
}

// updateFailingLocked reports failures that last, and missing gas money at once, because it
// does not come back by itself. A streak ends with a success, or when nothing was tried for
// long.
func (r *Redeemer) updateFailingLocked(m *snapshot) {
	if m.now.Sub(r.failures.last) > r.opt.AlertAfter+r.opt.RetryMost {
		r.failures = failureStreak{}
	}
	long := !r.failures.since.IsZero() && r.failures.last.Sub(r.failures.since) >= r.opt.AlertAfter
	r.setCondition(health.Key{Code: fault.RedemptionFailing}, long || r.failures.gasMoneyMissing(), r.failures.reason)
}

// updateExpiringLocked reports value whose last round is ending.
func (r *Redeemer) updateExpiringLocked(m *snapshot) {
	var sum core.Wei
	var first *ticket
	var until protocol.L1Block
	n := 0
	for _, t := range r.tickets {
		if t.w.State == pm.TicketMined || r.validity.rounds == 0 {
			continue
		}
		when := r.termLocked(t, m)
		if !when.ending || when.over {
			continue
		}
		n++
		sum = sum.Add(t.w.Ticket.FaceValue)
		if first == nil || when.until < until || when.until == until && shownFirst(t, first) {
			first, until = t, when.until
		}
	}
	if first == nil {
		r.setCondition(health.Key{Code: fault.TicketExpiring}, false, "")
		return
	}
	detail := fmt.Sprintf("%s ETH in %d tickets, lost %s", sum.Ether(), n, remaining(until, m.l1()))
	if why := first.waitReasonLocked(m); why != "" {
		detail += "; " + why
	}
	r.setCondition(health.Key{Code: fault.TicketExpiring}, true, detail)
}

// shownFirst reports whether ticket a is shown rather than b: first one with a known reason,
// then the more valuable, then by hash.
func shownFirst(a, b *ticket) bool {
	if (a.waitReason == "") != (b.waitReason == "") {
		return a.waitReason != ""
	}
	return cmp.Or(a.w.Ticket.FaceValue.Cmp(b.w.Ticket.FaceValue), bytes.Compare(a.w.Hash[:], b.w.Hash[:])) > 0
}

// waitReasonLocked says why a ticket was not redeemed so far.
func (t *ticket) waitReasonLocked(m *snapshot) string {
	switch {
	case !m.view.Round.Initialized:
		return roundClosed(m.view.Round)
	case t.w.State == pm.TicketSubmitted:
		return "its transaction is pending"
	case m.l1() < t.w.ExpirationBlock:
		return fmt.Sprintf("its parameters expire at layer-1 block %d", t.w.ExpirationBlock)
	}
	return t.waitReason
}

// remaining says when value is lost. It is rounded up in steps, because each change of a
// condition is logged.
func remaining(until, now protocol.L1Block) string {
	n := until - min(now, until) + 1
	step := protocol.L1Block(50)
	switch {
	case n <= 10:
		step = 1
	case n <= 100:
		step = 10
	}
	n = (n + step - 1) / step * step
	return fmt.Sprintf("within %d blocks of layer 1, about %d min", n, (n*layer1Seconds+59)/60)
}

// layer1Seconds is the time between two blocks of layer 1.
const layer1Seconds = 12

// updateFundsLowLocked reports senders that owe more than they have.
func (r *Redeemer) updateFundsLowLocked(m *snapshot) {
	low := make(map[core.Address]bool)
	for addr, s := range r.senders {
		if !s.fundsKnown {
			continue
		}
		owed, has := m.owed[addr], r.available(s.funds, &m.view)
		if owed.Cmp(has) > 0 {
			low[addr] = true
			r.setCondition(fundsKey(addr), true, fmt.Sprintf("it owes %s ETH and has %s ETH", owed.Ether(), has.Ether()))
		}
	}
	for addr := range r.lowFunds {
		if !low[addr] {
			r.setCondition(fundsKey(addr), false, "")
		}
	}
	r.lowFunds = low
}

func fundsKey(addr core.Address) health.Key {
	return health.Key{Code: fault.SenderFundsLow, About: addr.String()}
}

// updateDisputedLocked reports winners that an endpoint says the contract refuses although
// verifyTicket passes.
func (r *Redeemer) updateDisputedLocked() {
	n, last := 0, ""
	for _, t := range r.tickets {
		if codeOf(t.waitReason) == fault.WinnerDisputed {
			n, last = n+1, t.waitReason
		}
	}
	r.setCondition(health.Key{Code: fault.WinnerDisputed}, n > 0, fmt.Sprintf("%d tickets wait; %s", n, last))
}
