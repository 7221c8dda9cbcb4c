package sender

import (
	"context"

	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/paymentlog"
)

// Issue makes a payment of n tickets that draws on no balance and no credit of this sender: its
// caller keeps the account, as pm/remotesigner does. The nonces are above after. The tickets are on
// disk when it returns, as billed for so many units. Errors are the faults of Pay.
func (s *Sender) Issue(ctx context.Context, t *Terms, n int, after uint32, units int64) (*pm.Payment, error) {
	if err := t.checkNames(); err != nil {
		return nil, err
	}
	if err := s.check(ctx, t, n); err != nil {
		return nil, err
	}
	price := t.Price
	p := &Payment{s: s, terms: t, after: after}
	p.Sender, p.Expected = s.opt.Account, &price
	p.record = paymentlog.Payment{
		Recipient: t.Params.Recipient, Peer: t.Peer, Account: t.Key, Pipeline: t.Pipeline, Model: t.Model,
		Price: t.Price, Estimate: units, At: s.opt.Now(),
	}
	if err := s.issue(ctx, p, n); err != nil {
		return nil, err
	}
	s.opt.Recorder.TicketsSent(t.Params.Recipient, t.Key, n, t.ev.Times(int64(n)))
	s.recordResult(p, paymentlog.Answered, units)
	return &p.Payment, nil
}

// EV is the expected value of one ticket of the terms.
func (t *Terms) EV() pm.Value { return t.ev }
