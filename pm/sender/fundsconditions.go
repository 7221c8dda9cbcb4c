package sender

import (
	"context"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
)

// fundsTime bounds one read of the funds.
const fundsTime = 10 * time.Second

// faceValueIdle is how long the condition of a too high face value stays after the last
// request.
const faceValueIdle = 10 * time.Minute

// maxTooHigh bounds the recipients with that condition: the payees choose them.
const maxTooHigh = 64

// watchFunds checks the funds before they are needed.
func (s *Sender) watchFunds(ctx context.Context) {
	view := s.opt.Chain.View()
	if !view.Known || s.opt.Board == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, fundsTime)
	defer cancel()
	funds, err := s.opt.Chain.SenderFunds(ctx, s.opt.Account)
	if err != nil {
		return // the chain's own conditions say why
	}
	s.updateFundsConditions(funds.Sender)
}

// updateFundsConditions sets and clears a condition for each problem of the funds. All are set
// at once, so that the operator fixes them at once.
func (s *Sender) updateFundsConditions(funds protocol.Sender) {
	problems := map[fault.Code]string{fault.OwnReserveEmpty: "", fault.OwnDepositEmpty: "", fault.OwnFundsUnlocking: ""}
	if funds.Reserve.FundsRemaining.IsZero() {
		problems[fault.OwnReserveEmpty] = "no reserve"
	}
	if funds.Deposit.IsZero() {
		problems[fault.OwnDepositEmpty] = "no deposit"
	}
	if last := funds.WithdrawRound; last != 0 { // tickets are taken until the round before
		problems[fault.OwnFundsUnlocking] = fmt.Sprintf(
			"deposit and reserve are set to unlock in round %d; tickets are refused from round %d on", last, last-1)
	}
	for code, detail := range problems {
		if detail == "" {
			s.opt.Board.Clear(health.Key{Code: code})
			continue
		}
		s.opt.Board.Set(health.Key{Code: code}, detail)
	}
}

// reportFunds updates the conditions of the funds, and of a deposit that does not cover the
// recipient's tickets; err is the result of a payment to it.
func (s *Sender) reportFunds(recipient core.Address, funds protocol.Sender, err error) {
	if s.opt.Board == nil {
		return
	}
	s.updateFundsConditions(funds)
	if err == nil || fault.CodeOf(err) == fault.TicketFaceValueHigh {
		s.reportFaceValue(recipient, err)
	}
}

// reportFaceValue updates the condition of a deposit that does not cover one recipient's
// tickets; another's may be smaller.
func (s *Sender) reportFaceValue(recipient core.Address, err error) {
	s.mu.Lock()
	_, shown := s.tooHigh[recipient]
	switch {
	case err == nil:
		delete(s.tooHigh, recipient)
	case shown || len(s.tooHigh) < maxTooHigh:
		s.tooHigh[recipient], shown = s.opt.Now(), true
	}
	s.mu.Unlock()
	if shown {
		s.opt.Board.Report(health.Key{Code: fault.TicketFaceValueHigh, About: recipient.String()}, err)
	}
}

// forgetFaceValues clears the conditions of recipients that are not paid any more.
func (s *Sender) forgetFaceValues(now time.Time) {
	s.mu.Lock()
	var idle []core.Address
	for key, at := range s.tooHigh {
		if now.Sub(at) >= faceValueIdle {
			delete(s.tooHigh, key)
			idle = append(idle, key)
		}
	}
	s.mu.Unlock()
	for _, key := range idle {
		s.opt.Board.Clear(health.Key{Code: fault.TicketFaceValueHigh, About: key.String()})
	}
}
