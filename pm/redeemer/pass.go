package redeemer

import (
	"context"
	"maps"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// snapshot is the state of the chain and of the transactions that one pass uses.
type snapshot struct {
	now  time.Time
	view protocol.View
	// txs are the known transactions by number.
	txs map[uint64]protocol.Transaction
	// sending are the live transactions that redeem tickets, by each ticket's Once key.
	sending map[string]protocol.Transaction
	// owed is the sum of each sender's unpaid face values.
	owed map[core.Address]core.Wei
	// leaving says when the recipient leaves the active set.
	leaving pm.Leaving
	// receipts is the pass's cache of transaction receipts.
	receipts receipts
}

func (m *snapshot) l1() protocol.L1Block { return m.view.Head.L1 }

// pass starts what is due. It starts nothing while the chain's state is unknown or old.
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
	if r.validity.rounds != 0 {
		r.startDueLocked(ctx, m)
	}
	r.reviewEndedLocked(ctx, m)
	r.forgetSendersLocked()
	r.updateConditionsLocked(m)
}

// refreshFundsLocked reads the senders' funds that may have changed.
func (r *Redeemer) refreshFundsLocked(ctx context.Context, m *snapshot) {
	for addr, s := range r.senders {
		if !s.read.due() || m.now.Before(s.nextRead) {
			continue
		}
		s.read.begin()
		r.steps.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, r.opt.StepTimeout)
			defer cancel()
			funds, err := r.opt.Chain.SenderFunds(ctx, addr)
			r.mu.Lock()
			defer r.mu.Unlock()
			s.read.end()
			if err != nil {
				s.read.request()
				s.nextRead = m.now.Add(r.opt.Retry)
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

// owedLocked adds up what is not paid, by sender.
func (r *Redeemer) owedLocked() map[core.Address]core.Wei {
	sums := make(map[core.Address]core.Wei, len(r.senders))
	for _, t := range r.tickets {
		if t.w.State != pm.TicketMined {
			sums[t.w.Ticket.Sender] = sums[t.w.Ticket.Sender].Add(t.w.Ticket.FaceValue)
		}
	}
	return sums
}

// forgetSendersLocked drops senders without tickets.
func (r *Redeemer) forgetSendersLocked() {
	used := make(map[core.Address]bool, len(r.senders))
	for _, t := range r.tickets {
		used[t.w.Ticket.Sender] = true
	}
	maps.DeleteFunc(r.senders, func(addr core.Address, s *sender) bool { return !used[addr] && !s.read.running() })
}
