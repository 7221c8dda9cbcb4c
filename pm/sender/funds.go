package sender

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// fundsTime bounds one look at the funds.
const fundsTime = 10 * time.Second

// fundsCodes are the troubles of the funds as such, whoever is paid.
var fundsCodes = []fault.Code{fault.OwnFundsUnlocking, fault.OwnReserveEmpty, fault.OwnDepositEmpty}

// faceValueIdle is how long a face value that the deposit does not carry is told of
// after it was asked for last.
const faceValueIdle = 10 * time.Minute

// maxTooHigh bounds the recipients of which that is told: who is paid names them.
const maxTooHigh = 64

// watchFunds looks at the funds before somebody needs them.
func (s *Sender) watchFunds(ctx context.Context) {
	view := s.opt.Chain.View()
	if !view.Known || s.opt.Board == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, fundsTime)
	defer cancel()
	funds, err := s.opt.Chain.SenderFunds(ctx, s.opt.Account)
	if err != nil {
		return // the chain's own conditions tell why
	}
	s.tellFunds(core.Address{}, funds.Sender, pm.CheckSender(smallest(), 1, funds.Sender, view.Round.Number,
		pm.Limits{MaxEV: core.NewWei(1), MaxTotalEV: core.NewWei(1)}))
}

// unlocking is the fault of an unlock that runs, nil without one. Tickets are taken until
// the round before its last, and the operator is warned from the first.
func unlocking(funds protocol.Sender) error {
	if funds.WithdrawRound == 0 {
		return nil
	}
	return fault.New(fault.OwnFundsUnlocking, "look at the gateway's funds",
		fmt.Sprintf("deposit and reserve are set to unlock in round %d; tickets are refused from round %d on", funds.WithdrawRound, max(funds.WithdrawRound, 1)-1))
}

// smallest is the smallest ticket there is: what is wrong with it is wrong with the
// funds.
func smallest() *pm.Params {
	var half protocol.Word
	half[0] = 0x7f
	return &pm.Params{FaceValue: core.NewWei(1), WinProb: half}
}

// tellFunds makes a condition of what is wrong with the funds for a ticket, and clears
// what is not: of the funds' troubles the first one is found, and beside it an unlock
// that runs. What is wrong with a
// ticket before the funds are looked at says nothing of them.
func (s *Sender) tellFunds(recipient core.Address, funds protocol.Sender, err error) {
	code := fault.Code("")
	if err != nil {
		code = fault.CodeOf(err)
	}
	looked := err == nil || code == fault.TicketTotalEVHigh || code == fault.TicketFaceValueHigh || slices.Contains(fundsCodes, code)
	if s.opt.Board == nil || !looked {
		return
	}
	for _, c := range fundsCodes {
		switch {
		case c == code:
			s.opt.Board.Report(health.Key{Code: c}, err)
		case c == fault.OwnFundsUnlocking:
			s.opt.Board.Report(health.Key{Code: c}, unlocking(funds))
		default:
			s.opt.Board.Clear(health.Key{Code: c})
		}
	}
	if err == nil || code == fault.TicketFaceValueHigh {
		s.tellFaceValue(recipient, err)
	}
}

// tellFaceValue makes a condition of a deposit that does not carry one recipient's
// tickets; another's may be smaller.
func (s *Sender) tellFaceValue(recipient core.Address, err error) {
	s.mu.Lock()
	_, told := s.tooHigh[recipient]
	switch {
	case err == nil:
		delete(s.tooHigh, recipient)
	case told || len(s.tooHigh) < maxTooHigh:
		s.tooHigh[recipient], told = s.opt.Now(), true
	}
	s.mu.Unlock()
	if told {
		s.opt.Board.Report(health.Key{Code: fault.TicketFaceValueHigh, About: recipient.String()}, err)
	}
}

// forgetFaceValues clears the conditions about recipients that are not paid any
// more.
func (s *Sender) forgetFaceValues(now time.Time) {
	s.mu.Lock()
	var idle []core.Address
	for who, at := range s.tooHigh {
		if now.Sub(at) >= faceValueIdle {
			delete(s.tooHigh, who)
			idle = append(idle, who)
		}
	}
	s.mu.Unlock()
	for _, who := range idle {
		s.opt.Board.Clear(health.Key{Code: fault.TicketFaceValueHigh, About: who.String()})
	}
}
