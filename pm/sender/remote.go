package sender

import (
	"context"
	"strconv"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm/paymentlog"
)

// issueRemote has a payment's tickets made in another process, and records them before they can be sent.
func (s *Sender) issueRemote(ctx context.Context, p *Payment, n int) error {
	const op = "have tickets signed"
	paid, err := s.opt.Remote.Issue(ctx, p.terms, n)
	if err != nil {
		return err
	}
	want := p.terms.Params
	switch {
	case paid.Params == nil || paid.Params.RecipientRandHash != want.RecipientRandHash ||
		paid.Params.Recipient != want.Recipient || paid.Params.FaceValue.Cmp(want.FaceValue) != 0 ||
		paid.Params.WinProb != want.WinProb:
		return fault.New(fault.SignerRefused, op, "it signed for other ticket parameters")
	case len(paid.Tickets) < n || len(paid.Tickets) > maxTickets:
		return fault.New(fault.SignerRefused, op, "it signed "+strconv.Itoa(len(paid.Tickets))+" tickets of "+
			strconv.Itoa(n))
	}
	first, last := paid.Tickets[0].Nonce, paid.Tickets[len(paid.Tickets)-1].Nonce
	if int64(last)-int64(first) != int64(len(paid.Tickets))-1 {
		return fault.New(fault.SignerRefused, op, "the numbers of its tickets have gaps")
	}
	p.Payment = *paid
	price := p.terms.Price
	p.Expected = &price
	r := &p.record
	r.Recipient, r.RandHash, r.ExpirationBlock = want.Recipient, want.RecipientRandHash, want.ExpirationBlock
	r.FaceValue, r.WinProb, r.First, r.Last = want.FaceValue, want.WinProb, first, last
	writing, err := s.opt.Book.Begin(r)
	if err != nil {
		return err
	}
	r.ID = writing.ID
	if err := writing.Wait(ctx); err != nil {
		s.recordResult(p, paymentlog.Unsent, 0)
		return err
	}
	return nil
}
