package orchestrate

import (
	"context"
	"encoding/hex"
	"io"
	"math"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/pm"
)

// CapabilityWork is work of an external capability. It is paid by the second, from its sender's account for that
// capability. The credentials of such work are the same at every orchestrator, so the account is kept by the
// network addresses with which its tickets came, like that of a model.
type CapabilityWork struct {
	Capability string
	// Sender signed the request.
	Sender core.Address
	// Price is that of a second.
	Price pm.Price
	// HasPayment: a payment came with the request, as Payment, or PaymentErr says why it cannot be read.
	HasPayment bool
	Payment    pm.Payment
	PaymentErr error
	// From is the sender's network address.
	From string
}

// capabilitySeconds is for how many seconds must be paid before work begins.
const capabilitySeconds = 60

// capabilityWork stands where a model has its capability. No capability has this number.
const capabilityWork capability.ID = liveQuoted + 1

// job returns the work as a job of the payment accounts. Its session must be unique, because accounts are also kept by
// session.
func (w *CapabilityWork) job(session core.SessionID) *pm.Job {
	job := &pm.Job{
		Account: pm.Account{Sender: w.Sender, Key: pm.CapabilityKey(w.Capability)},
		Session: session,
		From:    core.PeerName(w.From),
		Quote:   pm.Quote{Sender: w.Sender, Price: w.Price},
		Payment: w.Payment,
		Model:   &inference.Model{Capability: capabilityWork, ID: w.Capability},
		Live:    w.Capability,
	}
	if !w.HasPayment {
		job.Payment = pm.Payment{Sender: w.Sender, Expected: &w.Price}
	}
	return job
}

// hasTickets reports whether the payment has tickets of some value. An accepted one proves the sender.
func (w *CapabilityWork) hasTickets() bool {
	p := w.Payment.Params
	return w.HasPayment && p != nil && !p.FaceValue.IsZero() && !p.WinProb.IsZero() && len(w.Payment.Tickets) > 0
}

// free reports whether the work costs nothing.
func (o *Orchestrator) free(w *CapabilityWork) bool { return o.opt.Live == nil || w.Price.Free() }

// CheckSender checks that a text is signed by an account. Off-chain there are no signatures.
func (o *Orchestrator) CheckSender(sender core.Address, text, sig []byte) error {
	if o.opt.Signatures == nil {
		return nil
	}
	return o.opt.Signatures.CheckText(sender, text, sig)
}

// CapabilityParty returns the party that is accountable for work: the account that signed it, off-chain the peer's
// address. source is the party at that address: other nodes that know a gateway's credentials could send them.
func (o *Orchestrator) CapabilityParty(sender core.Address, from string) (party, source string) {
	party = o.partyOf(sender, from)
	return party, party + " at " + core.PeerName(from)
}

// CapabilityTerms makes ticket parameters for a price; nil off-chain. The error is a *fault.Fault.
func (o *Orchestrator) CapabilityTerms(ctx context.Context, sender core.Address, price pm.Price, from string) (*Terms,
	error) {
	if err := o.admitGateway(ctx, sender, from); err != nil {
		return nil, err
	}
	return o.terms(core.WithPeer(ctx, core.PeerSite(from)), &pm.Quote{Sender: sender, Price: price})
}

// CapabilityBalance returns what the sender at its network address may spend.
func (o *Orchestrator) CapabilityBalance(w *CapabilityWork) pm.Value {
	if o.free(w) {
		return pm.Value{}
	}
	return o.opt.Live.Available(w.job(""))
}

// BeginCapability takes the payment of work and begins to charge for it, each second as it begins. The account must
// cover a minute. The error is a *fault.Fault; tickets that were taken are credited all the same. The caller must end
// the session, or the meter that it makes of it.
func (o *Orchestrator) BeginCapability(ctx context.Context, w *CapabilityWork) (*LiveSession, error) {
	const op = "begin work of a capability"
	if err := o.mayBeginLiveFor(ctx, w.Sender, w.From); err != nil {
		return nil, err
	}
	s := &LiveSession{
		o: o, quote: pm.Quote{Sender: w.Sender, Price: w.Price}, unit: LiveSeconds, shared: true, tab: freeTab{},
	}
	if o.free(w) {
		s.begun = o.opt.Elapsed()
		return s, nil
	}
	if w.PaymentErr != nil {
		return nil, w.PaymentErr
	}
	id, err := o.capabilitySession()
	if err != nil {
		return nil, fault.Wrap(fault.Unexpected, op, err)
	}
	job := w.job(id)
	job.Estimate = capabilitySeconds
	tab, err := o.opt.Live.OpenTab(ctx, job)
	if err != nil {
		return nil, err
	}
	s.tab, s.begun = tab, o.opt.Elapsed()
	return s, nil
}

// CreditCapability takes a further payment. proved says that it had fresh tickets, which the sender alone can make. The
// error is a *fault.Fault.
func (o *Orchestrator) CreditCapability(ctx context.Context, w *CapabilityWork) (proved bool, err error) {
	switch {
	case o.free(w):
		return false, nil
	case w.PaymentErr != nil:
		return false, w.PaymentErr
	}
	id, err := o.capabilitySession()
	if err != nil {
		return false, fault.Wrap(fault.Unexpected, "take a payment for a capability", err)
	}
	if err := o.opt.Live.Credit(ctx, w.job(id)); err != nil {
		return false, err
	}
	return w.hasTickets(), nil
}

// capabilitySession names the work of one request.
func (o *Orchestrator) capabilitySession() (core.SessionID, error) {
	var random [liveSessionIDBytes]byte
	_, err := io.ReadFull(o.opt.Rand, random[:])
	return core.SessionID("byoc-" + hex.EncodeToString(random[:])), err
}

// freeTab is the tab of free work.
type freeTab struct{}

func (freeTab) Charge(units int64) int64 { return units }
func (freeTab) Held() int64              { return math.MaxInt64 }
func (freeTab) Settle(int64)             {}
func (freeTab) Close()                   {}
