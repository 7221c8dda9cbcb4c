package redeemer

import (
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/pm"
)

// trouble is a row of failures that are no ticket's own.
type trouble struct {
	since, last time.Time
	reason      string
}

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
}

func (r *Redeemer) condition(key health.Key, holds bool, detail string) {
	if holds {
		r.opt.Board.Set(key, detail)
		return
	}
	r.opt.Board.Clear(key)
}

// alertFailing is about failures for longer than a moment. A row ends with a
// success, and when nothing was tried for long.
func (r *Redeemer) alertFailing(m *moment) {
	if m.now.Sub(r.trouble.last) > r.opt.AlertAfter+r.opt.RetryMost {
		r.trouble = trouble{}
	}
	long := !r.trouble.since.IsZero() && r.trouble.last.Sub(r.trouble.since) >= r.opt.AlertAfter
	r.condition(health.Key{Code: fault.RedemptionFailing}, long, r.trouble.reason)
}

// alertExpiring is about value whose last round is ending.
func (r *Redeemer) alertExpiring(m *moment) {
	var sum core.Wei
	var oldest *ticket
	n := 0
	for _, t := range r.tickets {
		if t.w.State == pm.TicketMined || r.validity == 0 {
			continue
		}
		if when := termOf(t.w.Ticket.CreationRound, r.validity, m.view.Round, m.l1()); !when.ending || when.over {
			continue
		}
		n++
		sum = sum.Add(t.w.Ticket.FaceValue)
		if oldest == nil || t.w.Won.Before(oldest.w.Won) {
			oldest = t
		}
	}
	if oldest == nil {
		r.condition(health.Key{Code: fault.TicketExpiring}, false, "")
		return
	}
	detail := fmt.Sprintf("%s ETH in %d tickets, the oldest won %s ago", sum.Ether(), n, m.now.Sub(oldest.w.Won).Round(time.Hour))
	switch {
	case !m.view.Round.Initialized:
		detail += "; " + string(fault.RoundNotInitialized)
	case oldest.waits != "":
		detail += "; " + oldest.waits
	}
	r.condition(health.Key{Code: fault.TicketExpiring}, true, detail)
}

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
