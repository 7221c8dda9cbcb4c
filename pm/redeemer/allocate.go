package redeemer

import (
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// allocate sets aside a part of the sender's funds for the ticket, up to its face value and
// besides what other tickets have. The error says that nothing is left, or too little so far.
func (r *Redeemer) allocate(t *ticket, funds protocol.SenderFunds, m *snapshot, when term) (core.Wei, error) {
	from := t.w.Ticket.Sender
	if free := funds.WithdrawRound; pm.Unlocked(free, m.view.Round.Number) {
		return core.Wei{}, fault.New(fault.SenderUnlocked, opRedeem, fmt.Sprintf("its funds are free since round %d", free))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.senderLocked(from)
	s.funds, s.fundsKnown, t.breakEvenPrice = funds, true, core.Wei{}
	has := r.available(funds, &m.view)
	left := r.availableForLocked(t, has)
	s.trackDrainLocked(has, left)
	switch value := minWei(left, t.w.Ticket.FaceValue); {
	case value.IsZero():
		return value, r.noFundsFault(funds, &m.view)
	case value.Cmp(t.w.Ticket.FaceValue) < 0 && !when.lastRound && funds.WithdrawRound == 0 && !s.drained:
		// The contract pays a ticket once, so the rest of its value would be lost.
		return core.Wei{}, fault.New(fault.RedeemUnfunded, opRedeem,
			fmt.Sprintf("%s of %s ETH are available; it waits until round %d for the sender to add to its deposit",
				value.Ether(), t.w.Ticket.FaceValue.Ether(), when.last))
	default:
		t.allocated = value
		return value, nil
	}
}

// availableForLocked returns what a sender's funds have for a ticket besides what is allocated to
// others.
func (r *Redeemer) availableForLocked(t *ticket, has core.Wei) core.Wei {
	s := r.senderLocked(t.w.Ticket.Sender)
	for _, o := range r.tickets {
		if o != t && o.w.Ticket.Sender == t.w.Ticket.Sender && (o.w.State != pm.TicketMined ||
			o.fundsVersion == s.fundsVersion) {
			has = subOrZero(has, o.allocated)
		}
	}
	return has
}

// trackDrainLocked records whether a sender's funds fall for reasons other than our own redemptions:
// other recipients are paid from its deposit, or more of them share its reserve. It compares
// only when none of our own redemptions is pending. The caller holds Redeemer.mu.
func (s *sender) trackDrainLocked(has, left core.Wei) {
	if has.Cmp(left) != 0 {
		return
	}
	total := has.Add(s.paidHere)
	if c := total.Cmp(s.fundsBefore); c != 0 {
		s.drained = c < 0
	}
	s.fundsBefore = total
}

// noFundsFault says why a sender's funds pay nothing.
func (r *Redeemer) noFundsFault(funds protocol.SenderFunds, v *protocol.View) error {
	switch {
	case funds.Deposit.IsZero() && funds.Reserve.FundsRemaining.IsZero():
		return fault.New(fault.SenderEmpty, opRedeem, "it has neither deposit nor reserve")
	case v.Self.Address == r.opt.Recipient && !v.Self.Active:
		return fault.New(fault.RecipientInactive, opRedeem, fmt.Sprintf("not in round %d", v.Round.Number))
	}
	return fault.New(fault.RedeemUnfunded, opRedeem, fmt.Sprintf("deposit %s, reserve %s ETH", funds.Deposit.Ether(),
		funds.Reserve.FundsRemaining.Ether()))
}

func (r *Redeemer) release(t *ticket) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t.allocated = core.Wei{}
}

// available returns what a sender's funds would pay the recipient now: the deposit, and what may
// still be claimed of the reserve, which is nothing while the recipient is not active.
func available(funds protocol.SenderFunds, pool int, active bool) core.Wei {
	if !active {
		return funds.Deposit
	}
	return pm.Available(funds, pool)
}
