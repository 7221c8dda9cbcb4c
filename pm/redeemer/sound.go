package redeemer

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
)

// flaw is what the contract would refuse a ticket for, for ever: nil for one whose
// form, secret number, signature and draw are right. None of it depends on the chain.
func flaw(op string, t *protocol.WinningTicket) error {
	hash := t.Hash()
	switch {
	case t.Sender.IsZero() || t.Recipient.IsZero():
		return fault.New(fault.TicketMalformed, op, "it names no sender or no recipient")
	case pm.RandHash(t.RecipientRand) != t.RecipientRandHash:
		return fault.New(fault.TicketSecretWrong, op, "")
	case signature.EthVerify(common.Address(t.Sender), hash[:], t.Signature[:]) != nil:
		return fault.New(fault.TicketSignatureWrong, op, "")
	case !pm.Wins(t.Signature[:], t.RecipientRand, t.WinProb):
		return fault.New(fault.TicketNotWinning, op, "")
	}
	return nil
}

// refuted reports whether a code names something that flaw knows without the chain.
func refuted(code fault.Code) bool {
	switch code {
	case fault.TicketMalformed, fault.TicketSecretWrong, fault.TicketSignatureWrong, fault.TicketNotWinning:
		return true
	}
	return false
}

// doubted makes of a refusal that the node's own checks disprove the fault
// WinnerDisputed: the ticket stays, because the endpoint is wrong, and not the ticket.
// Any other refusal stays as it is.
func doubted(t *protocol.WinningTicket, why error) error {
	code := fault.CodeOf(why)
	if !refuted(code) || flaw(opRedeem, t) != nil {
		return why
	}
	return fault.New(fault.WinnerDisputed, opRedeem, fmt.Sprintf("an endpoint says %s, and the ticket passes that check here", code))
}

// alertDisputed is about winners that endpoints say the contract refuses, and that it
// cannot refuse. The caller holds mu.
func (r *Redeemer) alertDisputed() {
	n, last := 0, ""
	for _, t := range r.tickets {
		if codeOf(t.waits) == fault.WinnerDisputed {
			n, last = n+1, t.waits
		}
	}
	r.condition(health.Key{Code: fault.WinnerDisputed}, n > 0, fmt.Sprintf("%d tickets wait; %s", n, last))
}

// review takes up again what ended without money though its rounds are not over and
// its own checks pass: what ended it may have been an endpoint's word. It happens at
// the start and once in each round that is seen, so that a ticket which truly failed
// costs one attempt in each of its rounds. The caller holds mu.
func (r *Redeemer) review(ctx context.Context, m *moment) {
	if r.reviewing || r.validity == 0 || r.reviewed == m.view.Round.Number {
		return
	}
	r.reviewing = true
	r.steps.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, r.opt.StepTimeout)
		defer cancel()
		err := r.reopenEnded(ctx, m)
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.reviewing = false; err == nil {
			r.reviewed = m.view.Round.Number
		}
		r.stir()
	})
}

// reopenEnded puts the tickets that may still be redeemed back into the queue.
func (r *Redeemer) reopenEnded(ctx context.Context, m *moment) error {
	all, err := r.opt.Ledger.Winners(ctx, ledger.Filter{States: []pm.TicketState{pm.TicketExpired, pm.TicketFailed},
		Recipient: r.opt.Recipient})
	if err != nil {
		return err
	}
	for _, w := range all {
		if when := termOf(w.Ticket.CreationRound, r.validityNow(), m.view.Round, m.l1()); when.over ||
			flaw(opRedeem, &w.Ticket) != nil {
			continue
		}
		r.opt.Log.Info("winning ticket taken up again", "ticket", w.Hash.String(), "gateway", w.Ticket.Sender.String(),
			"reason", w.Reason)
		if err := r.reopen(ctx, w); err != nil {
			return err
		}
	}
	return nil
}
