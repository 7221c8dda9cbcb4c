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

// maxSteps bounds the steps at once that decide nothing, of all senders and of one. Those
// of a batch share what they read.
const maxSteps, maxStepsEach = 64, 32

// moment is what one look at the tickets goes by.
type moment struct {
	now  time.Time
	view protocol.View
	// txs are the transactions that are known, by number.
	txs map[uint64]protocol.Transaction
	// sending are those of them that redeem tickets, or did so, by each ticket's text.
	sending map[string]protocol.Transaction
	// owed are the face values of each sender's tickets that are not paid.
	owed map[core.Address]core.Wei
	// leaving is when the recipient leaves the active set.
	leaving pm.Leaving
	// receipts are what transactions redeemed.
	receipts receipts
}

func (m *moment) l1() protocol.L1Block { return m.view.Head.L1 }

// pass begins what is due. While nothing is known of the chain, or what is known is
// old, nothing is begun.
func (r *Redeemer) pass(ctx context.Context, now time.Time) {
	m := &moment{now: now, view: r.opt.Chain.View(), txs: make(map[uint64]protocol.Transaction),
		sending: make(map[string]protocol.Transaction)}
	if !m.view.Known || m.view.Stale {
		return
	}
	if m.view.Self.Address == r.opt.Recipient {
		m.leaving = pm.LeavingOf(&m.view)
	}
	for _, tx := range r.opt.Actor.Transactions() {
		m.txs[tx.ID] = tx
		if tx.State != protocol.TxFailed && tx.State != protocol.TxDropped {
			for _, text := range partsOf(tx.Once) {
				m.sending[text] = tx
			}
		}
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

// begin starts what is due: the steps that follow from the chain, and decisions about what
// is to be sent. The caller holds mu.
func (r *Redeemer) begin(ctx context.Context, m *moment) {
	following, queued := r.dueTickets(m)
	slots := r.slots()
	r.turn++
	r.follows(ctx, m, following, slots)
	for _, who := range r.bySender(queued, m) {
		tickets := queued[who]
		if !r.sender(who).deciding && slots.mayDecide(who, r.opt.InFlight) {
			slots.decide(who)
			n := len(groupOf(tickets))
			r.decides(ctx, tickets[:n:n], m)
			tickets = tickets[n:]
		}
		for _, t := range tickets {
			t.behind(r.term(t, m))
		}
	}
}

// follows starts the steps of tickets that nothing is sent for, a sender's turn after
// another's. The caller holds mu.
func (r *Redeemer) follows(ctx context.Context, m *moment, due map[core.Address][]*ticket, slots *slots) {
	senders := r.rotated(due)
	for more := true; more; {
		more = false
		for _, who := range senders {
			if len(due[who]) == 0 {
				continue
			}
			t := due[who][0]
			due[who], more = due[who][1:], true
			if slots.steps < maxSteps && slots.stepsEach[who] < maxStepsEach {
				slots.step(who)
				r.start(ctx, t, m)
			}
		}
	}
}

// rotated are the senders of tickets, another one first in each pass. The caller holds mu.
func (r *Redeemer) rotated(due map[core.Address][]*ticket) []core.Address {
	senders := slices.SortedFunc(maps.Keys(due), func(a, b core.Address) int { return bytes.Compare(a[:], b[:]) })
	if len(senders) == 0 {
		return nil
	}
	at := r.turn % len(senders)
	return slices.Concat(senders[at:], senders[:at])
}

// bySender is the order of senders in which decisions begin: those first whose tickets are
// lost soon. The caller holds mu.
func (r *Redeemer) bySender(queued map[core.Address][]*ticket, m *moment) []core.Address {
	ending := func(who core.Address) bool {
		return slices.ContainsFunc(queued[who], func(t *ticket) bool { return r.term(t, m).ending })
	}
	senders := r.rotated(queued)
	slices.SortStableFunc(senders, func(a, b core.Address) int { return one(ending(b)) - one(ending(a)) })
	return senders
}

// dueTickets are the tickets that are due, by sender and in the order in which they are to
// be begun: those that wait to be sent, and all others. The caller holds mu.
func (r *Redeemer) dueTickets(m *moment) (following, queued map[core.Address][]*ticket) {
	following, queued = make(map[core.Address][]*ticket), make(map[core.Address][]*ticket)
	for _, t := range r.tickets {
		if t.busy || !r.due(t, m) {
			continue
		}
		kind := following
		if t.w.State == pm.TicketQueued {
			kind = queued
		}
		kind[t.w.Ticket.Sender] = append(kind[t.w.Ticket.Sender], t)
	}
	for _, due := range following {
		slices.SortFunc(due, func(a, b *ticket) int { return order(a, b, false) })
	}
	for who, due := range queued {
		short := r.short(who, m)
		slices.SortFunc(due, func(a, b *ticket) int { return order(a, b, short) })
	}
	return following, queued
}

// order is that in which one sender's tickets go: what was sent, what was won, what waits
// for more blocks; then those whose time ends first, or the most valuable where the funds
// are short; then by hash.
func order(a, b *ticket, short bool) int {
	value := b.w.Ticket.FaceValue.Cmp(a.w.Ticket.FaceValue)
	age := cmp.Compare(a.w.Ticket.CreationRound, b.w.Ticket.CreationRound)
	if short {
		age, value = value, age
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), age, value, bytes.Compare(a.w.Hash[:], b.w.Hash[:]))
}

func rank(t *ticket) int {
	switch t.w.State {
	case pm.TicketSubmitted:
		return 0
	case pm.TicketMined:
		return 2
	}
	return 1
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
	when := r.term(t, m)
	if !when.over {
		t.unripe = m.l1() < t.tellable(when, m.leaving)
	}
	if m.now.Before(t.next) && !t.look && !r.sooner(t, m, when) {
		return false
	}
	over := when.over
	switch t.w.State {
	case pm.TicketWon:
		return over || m.l1() >= t.tellable(when, m.leaving)
	case pm.TicketQueued:
		if !over && !m.view.Round.Initialized && t.waits == "" {
			t.waits = closed(m.view.Round)
		}
		return over || m.view.Round.Initialized && m.l1() >= t.tellable(when, m.leaving)
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
// the end the ticket itself is worth more than the margin. A recipient that leaves the active
// set takes no tickets from the block on at which its parameters close.
func (t *ticket) tellable(when term, leaving pm.Leaving) protocol.L1Block {
	at := t.w.ExpirationBlock
	if leaving.Known() {
		at = min(at, leaving.Close)
	}
	if when.ending && t.w.ExpirationBlock == at {
		return at
	}
	return at + Margin
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

// slots counts what is being done, for all senders and for each. What is sent counts by
// transaction: tickets of one batch are one.
type slots struct {
	steps, sending         int
	stepsEach, sendingEach map[core.Address]int
}

// slots counts. The caller holds mu.
func (r *Redeemer) slots() *slots {
	s := &slots{stepsEach: make(map[core.Address]int), sendingEach: make(map[core.Address]int)}
	seen := make(map[protocol.TxHash]bool)
	for _, t := range r.tickets {
		if t.busy && t.w.State != pm.TicketQueued {
			s.step(t.w.Ticket.Sender)
		}
		if t.w.State == pm.TicketSubmitted && !seen[t.w.Tx] {
			seen[t.w.Tx] = true
			s.decide(t.w.Ticket.Sender)
		}
	}
	for who, known := range r.senders {
		if known.deciding {
			s.decide(who)
		}
	}
	return s
}

// step counts a step that decides nothing.
func (s *slots) step(who core.Address) {
	s.steps++
	s.stepsEach[who]++
}

// decide counts a transaction, or the decision about one.
func (s *slots) decide(who core.Address) {
	s.sending++
	s.sendingEach[who]++
}

// mayDecide reports whether one more transaction may be sent for a sender's tickets: each
// sender has at most half of all.
func (s *slots) mayDecide(who core.Address, most int) bool {
	return s.sending < most && s.sendingEach[who] < max(1, most/2)
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
