package redeemer

import (
	"context"
	"maps"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// moment is what one look at the tickets goes by.
type snapshot struct {
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

func (m *snapshot) l1() protocol.L1Block { return m.view.Head.L1 }

// pass begins what is due. While nothing is known of the chain, or what is known is
// old, nothing is begun.
func (r *Redeemer) pass(ctx context.Context, now time.Time) {
	m := &snapshot{now: now, view: r.opt.Chain.View(), txs: make(map[uint64]protocol.Transaction),
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
			for _, text := range onceKeysOf(tx.Once) {
				m.sending[text] = tx
			}
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	m.owed = r.owedLocked()
	r.refreshValidityLocked(ctx, m)
	r.refreshFundsLocked(ctx, m)
	if r.validity != 0 {
		r.startDueLocked(ctx, m)
	}
	r.reviewEndedLocked(ctx, m)
	r.forgetSendersLocked()
	r.updateConditionsLocked(m)
}

// validate has the time for which tickets are valid read, again in every round. The
// caller holds mu.
func (r *Redeemer) refreshValidityLocked(ctx context.Context, m *snapshot) {
	if r.readingValidity || r.validity != 0 && r.validityRound == m.view.Round.Number {
		return
	}
	r.readingValidity = true
	r.steps.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, r.opt.StepTimeout)
		defer cancel()
		p, err := r.opt.Chain.Parameters(ctx)
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.readingValidity = false; err == nil && p.TicketValidity > 0 {
			r.validity, r.validityRound = p.TicketValidity, m.view.Round.Number
			r.wakeLoop()
		}
	})
}

// readFunds has the funds read that changed. The caller holds mu.
func (r *Redeemer) refreshFundsLocked(ctx context.Context, m *snapshot) {
	for addr, s := range r.senders {
		if !s.dirty || s.reading || m.now.Before(s.nextRead) {
			continue
		}
		s.dirty, s.reading = false, true
		r.steps.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, r.opt.StepTimeout)
			defer cancel()
			funds, err := r.opt.Chain.SenderFunds(ctx, addr)
			r.mu.Lock()
			defer r.mu.Unlock()
			if s.reading = false; err != nil {
				s.dirty, s.nextRead = true, m.now.Add(r.opt.Retry)
				return
			}
			s.funds, s.fundsKnown = funds, true
			r.notifyWatchersLocked(addr)
			r.wakeLoop()
		})
	}
}

func (r *Redeemer) available(funds protocol.SenderFunds, v *protocol.View) core.Wei {
	return available(funds, v.PoolSize, v.Self.Address != r.opt.Recipient || v.Self.Active)
}

// owed adds up what is not paid, by sender. The caller holds mu.
func (r *Redeemer) owedLocked() map[core.Address]core.Wei {
	sums := make(map[core.Address]core.Wei, len(r.senders))
	for _, t := range r.tickets {
		if t.w.State != pm.TicketMined {
			sums[t.w.Ticket.Sender] = sums[t.w.Ticket.Sender].Add(t.w.Ticket.FaceValue)
		}
	}
	return sums
}

// forgetSenders drops who has no tickets here. The caller holds mu.
func (r *Redeemer) forgetSendersLocked() {
	used := make(map[core.Address]bool, len(r.senders))
	for _, t := range r.tickets {
		used[t.w.Ticket.Sender] = true
	}
	maps.DeleteFunc(r.senders, func(addr core.Address, s *sender) bool { return !used[addr] && !s.reading })
}
