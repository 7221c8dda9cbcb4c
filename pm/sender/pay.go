package sender

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/paymentlog"
)

// maxTickets bounds the tickets of one payment: 600 take 60 KB in a header.
const maxTickets = 600

// Payment is a payment that may be sent, once. Settle must be called, and Received after
// it where the job was served.
type Payment struct {
	pm.Payment

	s      *Sender
	terms  *Terms
	record paymentlog.Payment
	// after: the nonces are above this one.
	after uint32
	// drawn is what was taken out of the balance, credit what the tickets add.
	drawn  drawn
	credit pm.Value
	// job is the charge of the tickets; it has no client without tickets.
	job               job
	settled, received atomic.Bool
	// forgone: the payment waits, see Forgo. drained is the part that its own tickets did not
	// pay. Both are guarded by Sender.mu. blamed: it no longer waits.
	forgone bool
	drained pm.Value
	blamed  atomic.Bool
	// spent is set by Settle, see Spent. charged: it is charged to a client's request.
	spent   pm.Value
	charged bool
	// billed: the orchestrator billed the job, or keeps its payment.
	billed atomic.Bool
}

// Pay makes the payment for a job of at most so many billed units. What the balance lacks is
// paid by tickets, which are on disk when Pay returns. Errors are faults: TicketParamsStale
// asks for new terms, PaidWorkMissing and CreditInUse mean that this orchestrator has to work
// first, the funds' codes that this gateway cannot pay, SpentFailed that nothing can be
// recorded; all others are problems of the terms.
func (s *Sender) Pay(ctx context.Context, t *Terms, units int64) (*Payment, error) {
	now := s.opt.Now()
	p, err := s.pay(ctx, t, max(0, units), now)
	if err != nil {
		s.opt.Recorder.PaymentNotMade(t.Key, string(fault.CodeOf(err)))
		// The caller logs why a job was not paid; lasting problems are conditions.
		s.opt.Log.Debug("payment not made", "orchestrator", t.Peer, "job", t.Key, fault.Attr(err))
	}
	return p, err
}

func (s *Sender) pay(ctx context.Context, t *Terms, units int64, now time.Time) (*Payment, error) {
	if err := t.checkNames(); err != nil {
		return nil, err
	}
	if err := s.checkPrice(t, now); err != nil {
		return nil, err
	}
	price := t.Price
	p := &Payment{s: s, terms: t}
	p.Sender, p.Expected = s.opt.Account, &price
	p.record = paymentlog.Payment{
		Recipient: t.Address, Peer: t.Peer, Account: t.Key, Pipeline: t.Pipeline, Model: t.Model,
		Price: t.Price, Estimate: units, At: now,
	}
	var err error
	if p.drawn, err = s.drawBalance(ctx, t, t.Price.Cost(units), now); err != nil {
		return nil, err
	}
	if err := s.addTickets(ctx, p); err != nil {
		s.cancelDraw(t.account(), p.drawn)
		return nil, err
	}
	return p, nil
}

// addTickets adds the tickets that a job lacks.
func (s *Sender) addTickets(ctx context.Context, p *Payment) error {
	t, took := p.terms, &p.drawn
	if took.tickets == 0 {
		return s.mayDraw(t)
	}
	// No job is refused, or waits, because of the tickets for others.
	if took.others > 0 && !s.fits(t, took.tickets) {
		took.tickets, took.others = took.tickets-took.others, 0
	}
	var err error
	if p.job, err = s.afford(ctx, t, took.tickets); err != nil && took.others > 0 {
		took.tickets, took.others = took.tickets-took.others, 0
		p.job, err = s.afford(ctx, t, took.tickets)
	}
	if err != nil {
		return err
	}
	issue := s.issue
	if s.opt.Remote != nil {
		issue = s.issueRemote
	}
	if err = issue(ctx, p, took.tickets); err != nil {
		s.reverseCharge(t, p.job)
		return err
	}
	n := len(p.Tickets)
	p.credit = t.ev.Times(int64(n))
	s.opt.Recorder.TicketsSent(p.record.Recipient, t.Key, n, p.credit)
	return nil
}

// afford checks whether so many tickets may be sent, and charges them.
func (s *Sender) afford(ctx context.Context, t *Terms, n int) (job, error) {
	if err := s.check(ctx, t, n); err != nil {
		return job{}, err
	}
	charged := ceilWei(t.ev.Times(int64(n)))
	client, err := s.charge(ctx, t, charged)
	if err != nil {
		return job{}, err
	}
	return job{amount: charged, client: client}, nil
}

// issue makes a payment's tickets and records them.
func (s *Sender) issue(ctx context.Context, p *Payment, n int) error {
	first, err := s.takeNonces(p.terms, n, p.after)
	if err != nil {
		return err
	}
	p.addParams(s.opt.Chain.View(), first, n)
	writing, err := s.opt.Book.Begin(&p.record)
	if err != nil {
		return err
	}
	p.record.ID = writing.ID
	// The tickets are signed while the disk writes.
	p.Tickets, err = s.sign(p.Params, first, n)
	if e := writing.Wait(ctx); e != nil {
		return e
	}
	if err != nil {
		s.recordResult(p, paymentlog.Unsent, 0)
		return err
	}
	return nil
}

// check says whether so many tickets may be sent.
func (s *Sender) check(ctx context.Context, t *Terms, n int) error {
	view := s.opt.Chain.View()
	if err := t.checkParams(view); err != nil {
		return err
	}
	funds, err := s.opt.Chain.SenderFunds(ctx, s.opt.Account)
	if err != nil {
		return err
	}
	err = pm.CheckSender(t.Params, n, funds.Sender, view.Round.Number, s.opt.Limits)
	s.reportFunds(t.Params.Recipient, funds.Sender, err)
	return err
}

// addParams copies the ticket parameters into a payment and its record.
func (p *Payment) addParams(view protocol.View, first uint32, n int) {
	params := *p.terms.Params
	if params.Expiration.Round == 0 || params.Expiration.BlockHash.IsZero() {
		// The orchestrator leaves the round to the gateway.
		params.Expiration = pm.Expiration{Round: view.Round.LastInitialized, BlockHash: view.Round.LastHash}
	}
	p.Params, p.Expiration, p.HasExpiration = &params, params.Expiration, true
	r := &p.record
	r.Recipient, r.RandHash, r.ExpirationBlock = params.Recipient, params.RecipientRandHash, params.ExpirationBlock
	r.FaceValue, r.WinProb = params.FaceValue, params.WinProb
	r.First, r.Last = first, first+uint32(n)-1
}
