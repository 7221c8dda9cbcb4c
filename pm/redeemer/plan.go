package redeemer

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// maxSteps bounds what is done at once, for all senders and for one.
const maxSteps, maxStepsEach = 16, 4

// moment is what one look at the tickets goes by.
type moment struct {
	now  time.Time
	view protocol.View
	// txs are the transactions that are known, by number.
	txs map[uint64]protocol.Transaction
	// owed are the face values of each sender's tickets that are not paid.
	owed map[core.Address]core.Wei
}

func (m *moment) l1() protocol.L1Block { return m.view.Head.L1 }

// pass begins what is due. While nothing is known of the chain, or what is known is
// old, nothing is begun.
func (r *Redeemer) pass(ctx context.Context, now time.Time) {
	m := &moment{now: now, view: r.opt.Chain.View(), txs: make(map[uint64]protocol.Transaction)}
	if !m.view.Known || m.view.Stale {
		return
	}
	for _, tx := range r.opt.Actor.Transactions() {
		m.txs[tx.ID] = tx
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	m.owed = r.owed()
	r.validate(ctx, m)
	r.readFunds(ctx, m)
	if r.validity != 0 {
		r.begin(ctx, m)
	}
	r.review(ctx, m)
	r.forgetSenders()
	r.alert(m)
}

// validate has the time for which tickets are valid read, again in every round. The
// caller holds mu.
func (r *Redeemer) validate(ctx context.Context, m *moment) {
	if r.validating || r.validity != 0 && r.validAt == m.view.Round.Number {
		return
	}
	r.validating = true
	r.steps.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, r.opt.StepTimeout)
		defer cancel()
		p, err := r.opt.Chain.Parameters(ctx)
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.validating = false; err == nil && p.TicketValidity > 0 {
			r.validity, r.validAt = p.TicketValidity, m.view.Round.Number
			r.stir()
		}
	})
}

// readFunds has the funds read that changed. The caller holds mu.
func (r *Redeemer) readFunds(ctx context.Context, m *moment) {
	for who, s := range r.senders {
		if !s.dirty || s.reading || m.now.Before(s.next) {
			continue
		}
		s.dirty, s.reading = false, true
		r.steps.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, r.opt.StepTimeout)
			defer cancel()
			funds, err := r.opt.Chain.SenderFunds(ctx, who)
			r.mu.Lock()
			defer r.mu.Unlock()
			if s.reading = false; err != nil {
				s.dirty, s.next = true, m.now.Add(r.opt.Retry)
				return
			}
			s.funds, s.known = funds, true
			r.nudge(who)
			r.stir()
		})
	}
}

// begin starts the steps that are due, a sender's turn after another's. The caller
// holds mu.
func (r *Redeemer) begin(ctx context.Context, m *moment) {
	lines := r.lines(m)
	senders := slices.SortedFunc(maps.Keys(lines), func(a, b core.Address) int { return bytes.Compare(a[:], b[:]) })
	if len(senders) == 0 {
		return
	}
	r.turn++
	slots := r.slots()
	at := r.turn % len(senders)
	senders = slices.Concat(senders[at:], senders[:at])
	for more := true; more; {
		more = false
		for _, who := range senders {
			line := lines[who]
			if len(line) == 0 {
				continue
			}
			lines[who], more = line[1:], true
			if r.may(line[0], slots) {
				slots.take(line[0])
				r.start(ctx, line[0], m)
			}
		}
	}
}

// lines are the tickets that are due, by sender and in the order in which they are
// to be begun. The caller holds mu.
func (r *Redeemer) lines(m *moment) map[core.Address][]*ticket {
	lines := make(map[core.Address][]*ticket)
	for _, t := range r.tickets {
		if !t.busy && r.due(t, m) {
			lines[t.w.Ticket.Sender] = append(lines[t.w.Ticket.Sender], t)
		}
	}
	for who, line := range lines {
		short := r.short(who, m)
		slices.SortFunc(line, func(a, b *ticket) int { return order(a, b, short) })
	}
	return lines
}

// order is that in which one sender's tickets go: what follows from the chain first,
// then the oldest, or the most valuable where the funds are short; then by hash.
func order(a, b *ticket, short bool) int {
	value := b.w.Ticket.FaceValue.Cmp(a.w.Ticket.FaceValue)
	age := cmp.Compare(a.w.Ticket.CreationRound, b.w.Ticket.CreationRound)
	if short {
		age, value = value, age
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), age, value, bytes.Compare(a.w.Hash[:], b.w.Hash[:]))
}

func rank(t *ticket) int {
	if t.w.State == pm.TicketQueued {
		return 1
	}
	return 0
}

// short reports whether a sender's funds are less than what it owes, or not known.
// The caller holds mu.
func (r *Redeemer) short(who core.Address, m *moment) bool {
	s := r.senders[who]
	return s == nil || !s.known || r.available(s.funds, &m.view).Cmp(m.owed[who]) < 0
}

func (r *Redeemer) available(funds protocol.SenderFunds, v *protocol.View) core.Wei {
	return available(funds, v.PoolSize, v.Self.Address != r.opt.Recipient || v.Self.Active)
}

// owed adds up what is not paid, by sender. The caller holds mu.
func (r *Redeemer) owed() map[core.Address]core.Wei {
	sums := make(map[core.Address]core.Wei, len(r.senders))
	for _, t := range r.tickets {
		if t.w.State != pm.TicketMined {
			sums[t.w.Ticket.Sender] = sums[t.w.Ticket.Sender].Add(t.w.Ticket.FaceValue)
		}
	}
	return sums
}

// due reports whether something is to be done for a ticket, which is not busy. The
// caller holds mu.
func (r *Redeemer) due(t *ticket, m *moment) bool {
	when := termOf(t.w.Ticket.CreationRound, r.validity, m.view.Round, m.l1())
	if m.now.Before(t.next) && !t.look && !r.sooner(t, m, when) {
		return false
	}
	over := when.over
	switch t.w.State {
	case pm.TicketWon:
		return over || m.l1() >= t.tellable(when)
	case pm.TicketQueued:
		if !over && !m.view.Round.Initialized && t.waits == "" {
			t.waits = closed(m.view.Round)
		}
		return over || m.view.Round.Initialized && m.l1() >= t.tellable(when)
	case pm.TicketSubmitted:
		tx, known := m.txs[t.tx]
		return !known || tx.State != protocol.TxSubmitted || tx.Hash != t.w.Tx
	case pm.TicketMined:
		return t.look || t.block == 0 || r.deep(t, m)
	}
	return false
}

// Margin is how many layer-1 blocks after its parameters expired a ticket is redeemed:
// who takes tickets under them may see a little less of the chain than this process.
const Margin = 2

// tellable is the layer-1 block from which on a ticket's random number may be told. In
// the end the ticket itself is worth more than the margin.
func (t *ticket) tellable(when term) protocol.L1Block {
	if when.ending {
		return t.w.ExpirationBlock
	}
	return t.w.ExpirationBlock + Margin
}

// sooner reports whether what a ticket waited for may have come. The caller holds
// mu.
func (r *Redeemer) sooner(t *ticket, m *moment, when term) bool {
	if t.w.State != pm.TicketQueued || m.now.Before(t.soon) {
		return false
	}
	return when.over || when.ending && !t.ending || m.view.Head.BaseFee.Cmp(t.worthAt) < 0 || t.news != r.sender(t.w.Ticket.Sender).news
}

// deep reports whether a payout is final if it is still there.
func (r *Redeemer) deep(t *ticket, m *moment) bool {
	return m.view.Head.Number >= t.block+r.opt.Confirmations && m.now.Sub(t.seen) >= r.opt.FinalAfter
}

// slots counts what is being done, for all and for each sender.
type slots struct {
	steps, flying         int
	stepsEach, flyingEach map[core.Address]int
}

// slots counts. The caller holds mu.
func (r *Redeemer) slots() *slots {
	s := &slots{stepsEach: make(map[core.Address]int), flyingEach: make(map[core.Address]int)}
	for _, t := range r.tickets {
		if t.busy {
			s.take(t)
		} else if t.w.State == pm.TicketSubmitted {
			s.flying++
			s.flyingEach[t.w.Ticket.Sender]++
		}
	}
	return s
}

// take counts a ticket that a step works on.
func (s *slots) take(t *ticket) {
	s.steps++
	s.stepsEach[t.w.Ticket.Sender]++
	if t.w.State == pm.TicketSubmitted || t.w.State == pm.TicketQueued {
		s.flying++
		s.flyingEach[t.w.Ticket.Sender]++
	}
}

// may reports whether there is room for a ticket's step. The caller holds mu.
func (r *Redeemer) may(t *ticket, s *slots) bool {
	who := t.w.Ticket.Sender
	if s.steps >= maxSteps || s.stepsEach[who] >= maxStepsEach {
		return false
	}
	if t.w.State != pm.TicketQueued {
		return true
	}
	return !r.sender(who).deciding && s.flying < r.opt.InFlight && s.flyingEach[who] < max(1, r.opt.InFlight/2)
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// forgetSenders drops who has no tickets here. The caller holds mu.
func (r *Redeemer) forgetSenders() {
	used := make(map[core.Address]bool, len(r.senders))
	for _, t := range r.tickets {
		used[t.w.Ticket.Sender] = true
	}
	maps.DeleteFunc(r.senders, func(who core.Address, s *sender) bool { return !used[who] && !s.reading })
}
