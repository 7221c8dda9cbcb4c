package redeemer

import (
	"context"
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// Won adds a winner that is in the ledger already. It does not block. A known ticket is
// ignored.
func (r *Redeemer) Won(w pm.Winner) { r.add(w) }

const opQueue = "queue a ticket"

// Queue checks a winner of another process and stores it before it returns. Errors are faults:
// TicketForeign for another recipient's ticket, those of verifyTicket for one that the contract
// would never pay, RedeemerFull, and those of the ledger. A known ticket is accepted again
// without effect.
func (r *Redeemer) Queue(ctx context.Context, w pm.Winner) error {
	t := &w.Ticket
	hash := t.Hash()
	if t.Recipient != r.opt.Recipient {
		return fault.New(fault.TicketForeign, opQueue, fmt.Sprintf("it pays %s, this redeemer works for %s", t.Recipient,
			r.opt.Recipient))
	}
	if !w.Hash.IsZero() && w.Hash != hash {
		return fault.New(fault.TicketMalformed, opQueue, "its hash does not match the ticket")
	}
	if err := verifyTicket(opQueue, t); err != nil {
		return err
	}
	w.Hash, w.State, w.Since, w.Tx, w.Paid, w.GasFee, w.Reason, w.Attempts = hash, pm.TicketWon, r.opt.Now(),
		protocol.TxHash{}, core.Wei{}, core.Wei{}, "", 0
	w.Account.Sender = t.Sender
	if w.Won.IsZero() {
		w.Won = w.Since
	}
	return r.store(ctx, w)
}

// store writes a new winner and adds it. A known winner keeps its state.
func (r *Redeemer) store(ctx context.Context, w pm.Winner) error {
	known, err := r.opt.Ledger.Winners(ctx, ledger.Filter{Hash: w.Hash})
	if err != nil {
		return err
	}
	if len(known) > 0 {
		r.add(known[0])
		return nil
	}
	if err := r.checkCapacity(&w.Ticket); err != nil {
		return err
	}
	if err := r.opt.Ledger.Append(ctx, pm.Entries{Winners: []pm.Winner{w}}); err != nil {
		return err
	}
	r.add(w)
	return nil
}

// checkCapacity says whether one more ticket can be queued.
func (r *Redeemer) checkCapacity(w *protocol.WinningTicket) error {
	v := r.opt.Chain.View()
	r.mu.Lock()
	defer r.mu.Unlock()
	if v.Known && r.validity.rounds != 0 && termOf(w.CreationRound, r.validity.rounds, v.Round, v.Head.L1).over {
		return fault.New(fault.TicketExpired, opQueue, fmt.Sprintf("of round %d, this is %d", w.CreationRound,
			v.Round.Number))
	}
	n := 0
	for _, t := range r.tickets {
		n += boolInt(t.w.Ticket.Sender == w.Sender)
	}
	if n >= r.opt.MaxQueued {
		return fault.New(fault.RedeemerFull, opQueue, fmt.Sprintf("%d tickets of this sender wait", n))
	}
	return nil
}

// List returns winners from the ledger, with the reason why queued ones wait.
func (r *Redeemer) List(ctx context.Context, f ledger.Filter) ([]pm.Winner, error) {
	all, err := r.opt.Ledger.Winners(ctx, f)
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range all {
		if t := r.tickets[all[i].Hash]; t != nil && all[i].State == pm.TicketQueued {
			all[i].Reason = t.waitReason
		}
	}
	return all, err
}

// Retry queues a ticket again that failed, or that expired while its rounds are not over. The
// fault is TicketUnknown, TicketNotFailed, TicketExpired, or the ledger's.
func (r *Redeemer) Retry(ctx context.Context, hash protocol.Hash) error {
	const op = "retry a ticket"
	all, err := r.opt.Ledger.Winners(ctx, ledger.Filter{Hash: hash, Recipient: r.opt.Recipient})
	switch {
	case err != nil:
		return err
	case len(all) == 0:
		return fault.New(fault.TicketUnknown, op, hash.String())
	case all[0].State != pm.TicketFailed && all[0].State != pm.TicketExpired:
		return fault.New(fault.TicketNotFailed, op, "it is "+string(all[0].State))
	}
	w := all[0]
	if v := r.opt.Chain.View(); v.Known {
		if when := termOf(w.Ticket.CreationRound, r.validityNow(), v.Round, v.Head.L1); when.over &&
			codeOf(w.Reason) != fault.PayoutUnknown {
			return fault.New(fault.TicketExpired, op, fmt.Sprintf("round %d was its last", when.last))
		}
	}
	return r.reopen(ctx, w)
}

// reopen puts an ended ticket back into the queue.
func (r *Redeemer) reopen(ctx context.Context, w pm.Winner) error {
	w.State, w.Since, w.Tx = pm.TicketQueued, r.opt.Now(), protocol.TxHash{}
	if err := r.opt.Ledger.Progress(ctx, pm.Progress{Hash: w.Hash, State: w.State, GasFee: w.GasFee,
		At: w.Since}); err != nil {
		return err
	}
	w.Reason = ""
	r.mu.Lock()
	delete(r.losses, w.Hash)
	r.mu.Unlock()
	r.add(w)
	r.opt.Changed(w)
	return nil
}
