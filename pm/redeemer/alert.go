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

// trouble is a row of failures that are no ticket's own.
type trouble struct {
	since, last time.Time
	reason      string
}

// broke: the account could not pay for gas.
func (t *trouble) broke() bool { return codeOf(t.reason) == fault.GasMoneyMissing }

func (t *trouble) add(now time.Time, reason string) {
	if t.since.IsZero() {
		t.since = now
	}
	t.last, t.reason = now, reason
}

// alert shows the conditions that follow from the tickets. The caller holds mu.
func (r *Redeemer) alert(m *moment) {
	r.alertFailing(m)
	r.alertExpiring(m)
	r.alertFunds(m)
	r.alertLost(m.now)
	r.alertDisputed()
}

func (r *Redeemer) condition(key health.Key, holds bool, detail string) {
	if holds {
		r.opt.Board.Set(key, detail)
		return
	}
	r.opt.Board.Clear(key)
}

// alertFailing is about failures for longer than a moment, and about gas money that
// is missing, which does not come by itself. A row ends with a success, and when
// nothing was tried for long.
func (r *Redeemer) alertFailing(m *moment) {
	if m.now.Sub(r.trouble.last) > r.opt.AlertAfter+r.opt.RetryMost {
		r.trouble = trouble{}
	}
	long := !r.trouble.since.IsZero() && r.trouble.last.Sub(r.trouble.since) >= r.opt.AlertAfter
	r.condition(health.Key{Code: fault.RedemptionFailing}, long || r.trouble.broke(), r.trouble.reason)
}

// alertExpiring is about value whose last round is ending.
func (r *Redeemer) alertExpiring(m *moment) {
	var sum core.Wei
	var first *ticket
	var until protocol.L1Block
	n := 0
	for _, t := range r.tickets {
		if t.w.State == pm.TicketMined || r.validity == 0 {
			continue
		}
		when := r.term(t, m)
		if !when.ending || when.over {
			continue
		}
		n++
		sum = sum.Add(t.w.Ticket.FaceValue)
		if first == nil || when.until < until || when.until == until && stuckMore(t, first) {
			first, until = t, when.until
		}
	}
	if first == nil {
		r.condition(health.Key{Code: fault.TicketExpiring}, false, "")
		return
	}
	detail := fmt.Sprintf("%s ETH in %d tickets, lost %s", sum.Ether(), n, remaining(until, m.l1()))
	if why := first.heldUp(m); why != "" {
		detail += "; " + why
	}
	r.condition(health.Key{Code: fault.TicketExpiring}, true, detail)
}

// stuckMore tells which of two tickets has more to say: one that is known to wait,
// then the more valuable, then by hash.
func stuckMore(a, b *ticket) bool {
	if (a.waits == "") != (b.waits == "") {
		return a.waits != ""
	}
	return cmp.Or(a.w.Ticket.FaceValue.Cmp(b.w.Ticket.FaceValue), bytes.Compare(a.w.Hash[:], b.w.Hash[:])) > 0
}

// heldUp says why a ticket was not redeemed so far. The caller holds mu.
func (t *ticket) heldUp(m *moment) string {
	switch {
	case !m.view.Round.Initialized:
		return closed(m.view.Round)
	case t.w.State == pm.TicketSubmitted:
		return "it is on its way"
	case m.l1() < t.w.ExpirationBlock:
		return fmt.Sprintf("its parameters expire at layer-1 block %d", t.w.ExpirationBlock)
	}
	return t.waits
}

// remaining says when value is lost, in steps, because each change of it is logged.
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

// alertFunds is about senders that owe more than they have.
func (r *Redeemer) alertFunds(m *moment) {
	low := make(map[core.Address]bool)
	for who, s := range r.senders {
		if !s.known {
			continue
		}
		owed, has := m.owed[who], r.available(s.funds, &m.view)
		if owed.Cmp(has) > 0 {
			low[who] = true
			r.condition(fundsKey(who), true, fmt.Sprintf("it owes %s ETH and has %s", owed.Ether(), has.Ether()))
		}
	}
	for who := range r.alarmed {
		if !low[who] {
			r.condition(fundsKey(who), false, "")
		}
	}
	r.alarmed = low
}

func fundsKey(who core.Address) health.Key {
	return health.Key{Code: fault.SenderFundsLow, About: who.String()}
}
