package redeemer

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// maxSteps and maxStepsEach bound the concurrent steps that send nothing, of all senders and of
// one. Steps of one batch share what they read.
const maxSteps, maxStepsEach = 64, 32

// startDueLocked starts what is due: steps that follow from the chain, and decisions about what
// is sent.
func (r *Redeemer) startDueLocked(ctx context.Context, m *snapshot) {
	following, queued := r.dueTicketsLocked(m)
	slots := r.slotsLocked()
	r.turn++
	r.startStepsLocked(ctx, m, following, slots)
	for _, addr := range r.decisionOrderLocked(queued, m) {
		tickets := queued[addr]
		if !r.senderLocked(addr).deciding && slots.mayDecide(addr, r.opt.InFlight) {
			slots.addDecision(addr)
			n := len(batchGroup(tickets))
			r.startDecisionLocked(ctx, tickets[:n:n], m)
			tickets = tickets[n:]
		}
		for _, t := range tickets {
			t.waitBehindLocked(r.termLocked(t, m))
		}
	}
}

// startStepsLocked starts steps that send nothing, one ticket of each sender in turn.
func (r *Redeemer) startStepsLocked(ctx context.Context, m *snapshot, due map[core.Address][]*ticket, slots *slots) {
	senders := r.rotateSendersLocked(due)
	for more := true; more; {
		more = false
		for _, addr := range senders {
			if len(due[addr]) == 0 {
				continue
			}
			t := due[addr][0]
			due[addr], more = due[addr][1:], true
			if slots.steps < maxSteps && slots.stepsEach[addr] < maxStepsEach {
				slots.addStep(addr)
				r.startStepLocked(ctx, t, m)
			}
		}
	}
}

// rotateSendersLocked returns the senders of tickets, starting with another one in each pass.
func (r *Redeemer) rotateSendersLocked(due map[core.Address][]*ticket) []core.Address {
	senders := slices.SortedFunc(maps.Keys(due), func(a, b core.Address) int { return bytes.Compare(a[:], b[:]) })
	if len(senders) == 0 {
		return nil
	}
	at := r.turn % len(senders)
	return slices.Concat(senders[at:], senders[:at])
}

// decisionOrderLocked returns the order of senders in which decisions start: first those with
// tickets that are lost soon.
func (r *Redeemer) decisionOrderLocked(queued map[core.Address][]*ticket, m *snapshot) []core.Address {
	ending := func(addr core.Address) bool {
		return slices.ContainsFunc(queued[addr], func(t *ticket) bool { return r.termLocked(t, m).ending })
	}
	senders := r.rotateSendersLocked(queued)
	slices.SortStableFunc(senders, func(a, b core.Address) int { return boolInt(ending(b)) - boolInt(ending(a)) })
	return senders
}

// dueTicketsLocked returns the due tickets by sender, in the order in which they start: those
// that wait to be sent, and all others.
func (r *Redeemer) dueTicketsLocked(m *snapshot) (following, queued map[core.Address][]*ticket) {
	following, queued = make(map[core.Address][]*ticket), make(map[core.Address][]*ticket)
	for _, t := range r.tickets {
		if t.work.running() || !r.isDueLocked(t, m) {
			continue
		}
		kind := following
		if t.w.State == pm.TicketQueued {
			kind = queued
		}
		kind[t.w.Ticket.Sender] = append(kind[t.w.Ticket.Sender], t)
	}
	for _, due := range following {
		slices.SortFunc(due, func(a, b *ticket) int { return compareTickets(a, b, false) })
	}
	for addr, due := range queued {
		short := r.underfundedLocked(addr, m)
		slices.SortFunc(due, func(a, b *ticket) int { return compareTickets(a, b, short) })
	}
	return following, queued
}

// compareTickets orders one sender's tickets: submitted, won, then mined; then those whose time
// ends first, or the most valuable if the funds are short; then by hash.
func compareTickets(a, b *ticket, short bool) int {
	value := b.w.Ticket.FaceValue.Cmp(a.w.Ticket.FaceValue)
	age := cmp.Compare(a.w.Ticket.CreationRound, b.w.Ticket.CreationRound)
	if short {
		age, value = value, age
	}
	return cmp.Or(cmp.Compare(stateRank(a), stateRank(b)), age, value, bytes.Compare(a.w.Hash[:], b.w.Hash[:]))
}

func stateRank(t *ticket) int {
	switch t.w.State {
	case pm.TicketSubmitted:
		return 0
	case pm.TicketMined:
		return 2
	}
	return 1
}

// underfundedLocked reports whether a sender's funds are less than what it owes, or unknown.
func (r *Redeemer) underfundedLocked(addr core.Address, m *snapshot) bool {
	s := r.senders[addr]
	return s == nil || !s.fundsKnown || r.available(s.funds, &m.view).Cmp(m.owed[addr]) < 0
}

// isDueLocked reports whether a step is due for a ticket that has none running.
func (r *Redeemer) isDueLocked(t *ticket, m *snapshot) bool {
	when := r.termLocked(t, m)
	if !when.over {
		t.paramsActive = m.l1() < t.revealBlock(when, m.leaving)
	}
	if m.now.Before(t.next) && !t.work.due() && !r.mayRetryEarlyLocked(t, m, when) {
		return false
	}
	over := when.over
	switch t.w.State {
	case pm.TicketWon:
		return over || m.l1() >= t.revealBlock(when, m.leaving)
	case pm.TicketQueued:
		if !over && !m.view.Round.Initialized && t.waitReason == "" {
			t.waitReason = roundClosed(m.view.Round)
		}
		return over || m.view.Round.Initialized && m.l1() >= t.revealBlock(when, m.leaving)
	case pm.TicketSubmitted:
		tx, known := m.txs[t.tx]
		return !known || tx.State != protocol.TxSubmitted || tx.Hash != t.w.Tx
	case pm.TicketMined:
		return t.work.due() || t.block == 0 || r.isConfirmed(t, m)
	}
	return false
}

// Margin is how many layer-1 blocks after its parameters expired a ticket is redeemed: the
// process that accepts tickets under them may see a little less of the chain than this one.
const Margin = 2

// revealBlock returns the layer-1 block from which on a ticket's random number may be revealed. When
// its last round ends, the ticket is worth more than the margin. A recipient that leaves the
// active set accepts no tickets from the block on at which its parameters close.
func (t *ticket) revealBlock(when term, leaving pm.Leaving) protocol.L1Block {
	at := t.w.ExpirationBlock
	if leaving.Known() {
		at = min(at, leaving.Close)
	}
	if when.ending && t.w.ExpirationBlock == at {
		return at
	}
	return at + Margin
}

// mayRetryEarlyLocked reports whether the reason for waiting may be gone before the pause is
// over.
func (r *Redeemer) mayRetryEarlyLocked(t *ticket, m *snapshot, when term) bool {
	if t.w.State != pm.TicketQueued || m.now.Before(t.nextEarly) {
		return false
	}
	return when.over || when.ending && !t.ending || m.view.Head.BaseFee.Cmp(t.breakEvenPrice) < 0 ||
		t.fundsVersion != r.senderLocked(t.w.Ticket.Sender).fundsVersion
}

// isConfirmed reports whether a payout is final if it is still on the chain.
func (r *Redeemer) isConfirmed(t *ticket, m *snapshot) bool {
	return m.view.Head.Number >= t.block+r.opt.Confirmations && m.now.Sub(t.minedSince) >= r.opt.FinalAfter
}

// slots counts running work, in all and by sender. Sending counts transactions: the tickets of
// one batch are one.
type slots struct {
	steps, sending         int
	stepsEach, sendingEach map[core.Address]int
}

func (r *Redeemer) slotsLocked() *slots {
	s := &slots{stepsEach: make(map[core.Address]int), sendingEach: make(map[core.Address]int)}
	seen := make(map[protocol.TxHash]bool)
	for _, t := range r.tickets {
		if t.work.running() && t.w.State != pm.TicketQueued {
			s.addStep(t.w.Ticket.Sender)
		}
		if t.w.State == pm.TicketSubmitted && !seen[t.w.Tx] {
			seen[t.w.Tx] = true
			s.addDecision(t.w.Ticket.Sender)
		}
	}
	for addr, known := range r.senders {
		if known.deciding {
			s.addDecision(addr)
		}
	}
	return s
}

// addStep counts a step that sends nothing.
func (s *slots) addStep(addr core.Address) {
	s.steps++
	s.stepsEach[addr]++
}

// addDecision counts a pending transaction, or the decision about one.
func (s *slots) addDecision(addr core.Address) {
	s.sending++
	s.sendingEach[addr]++
}

// mayDecide reports whether one more transaction may be sent for a sender's tickets. Each
// sender has at most half of all.
func (s *slots) mayDecide(addr core.Address, most int) bool {
	return s.sending < most && s.sendingEach[addr] < max(1, most/2)
}

func boolInt(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
