package orchestrate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/pm"
)

// LivePayments is the payment port of live work; nil off-chain. It is safe for concurrent use.
// Errors are faults whose wire text payers know.
type LivePayments interface {
	// OpenTab accepts the payment of live work and opens the account that it is charged from. It
	// fails if the account then holds less than the job's estimate. Accepted tickets are on disk
	// when it returns, even with an error. The caller must close the tab.
	OpenTab(ctx context.Context, job *pm.Job) (pm.Tab, error)
	// Credit accepts a further payment.
	Credit(ctx context.Context, job *pm.Job) error
	// Available returns what the party of a job may spend of its account; negative if it owes.
	Available(job *pm.Job) pm.Value
	// Parties returns by what the payers of accounts are known, and RestoreParties takes that of the previous process.
	Parties() []pm.Party
	RestoreParties(list []pm.Party)
	// BillLate bills work that ended in the previous process, whose books this one has.
	BillLate(d pm.Debit)
}

// LiveWork is what is paid for.
type LiveWork struct {
	// Name is the same for the same work over restarts of the node: a price that was quoted for it
	// holds for nothing else.
	Name string
	Unit LiveUnit
	// App names it in the books.
	App string
	// Model is set for work whose price is a model's, quoted with an offer.
	Model *inference.Model
}

// liveQuoted marks the quotes of live work, in the place of a model's capability: none has this
// number, so that such a quote is good for no segment and no AI job.
const liveQuoted capability.ID = 1 << 30

// longestName bounds a name in a quote, which travels in every payment.
const longestName = 128

// model is what a quote for the work names.
func (w *LiveWork) model() inference.Model {
	if w.Model != nil {
		return *w.Model
	}
	name := string(w.Unit) + " " + w.Name
	if len(name) > longestName {
		sum := sha256.Sum256([]byte(name))
		name = string(w.Unit) + " " + hex.EncodeToString(sum[:])
	}
	return inference.Model{Capability: liveQuoted, ID: name}
}

// LiveOfferRequest asks for an offer for live work.
type LiveOfferRequest struct {
	// Sender is the account that is to pay; nothing proves it.
	Sender core.Address
	Work   LiveWork
	Price  pm.Price
	// From is the peer's network address.
	From string
}

// LiveOffer makes an offer for live work, under a new session id. The error is a *fault.Fault:
// Draining, one of the GatewayHook, or why there are no terms for the sender.
func (o *Orchestrator) LiveOffer(ctx context.Context, req LiveOfferRequest) (Info, error) {
	if err := o.mayBeginLiveFor(ctx, req.Sender, req.From); err != nil {
		return Info{}, err
	}
	quote := pm.Quote{Sender: req.Sender, Price: req.Price, Models: []inference.Model{req.Work.model()}}
	return o.liveInfo(ctx, &quote, "", req.From)
}

// liveInfo makes terms and a token for a quote, under a session id or a new one.
func (o *Orchestrator) liveInfo(ctx context.Context, quote *pm.Quote, id core.SessionID, from string) (Info, error) {
	const op = "make offer"
	// Chain reads about the payer's account count against the requesting network.
	ctx = core.WithPeer(ctx, core.PeerSite(from))
	terms, err := o.terms(ctx, quote)
	if err != nil {
		return Info{}, err
	}
	carried, err := quote.AppendBinary(nil)
	if err != nil {
		return Info{}, fault.Wrap(fault.Unexpected, op, err)
	}
	tok, err := o.tokens.issueLive(id, carried)
	if err != nil {
		return Info{}, fault.Wrap(fault.Unexpected, op, err)
	}
	return o.info(tok, terms), nil
}

// RefreshLive makes an offer for a session in progress, under its id and at its price. It is false
// if the sender has no such session. The error is a *fault.Fault.
func (o *Orchestrator) RefreshLive(ctx context.Context, sender core.Address, id core.SessionID, from string) (Info,
	bool, error) {
	o.mu.Lock()
	s := o.live[id]
	o.mu.Unlock()
	if s == nil || s.quote.Sender != sender {
		return Info{}, false, nil
	}
	in, err := o.liveInfo(ctx, &s.quote, id, from)
	return in, true, err
}

// paysLiveLocked reports whether an account pays for a session in progress with a model that it wants an offer for. A
// drain, too, makes such offers: tokens end after half an hour, and without a new one the session would end unpaid. A
// new session is refused all the same.
func (o *Orchestrator) paysLiveLocked(account core.Address, wanted *capability.Capabilities) bool {
	if wanted == nil {
		return false
	}
	asked := func(m inference.Model) bool {
		_, named := wanted.Constraints.PerCapability[m.Capability][m.ID]
		return named
	}
	for _, s := range o.live {
		if s.quote.Sender == account && slices.ContainsFunc(s.quote.Models, asked) {
			return true
		}
	}
	return false
}

func (o *Orchestrator) mayBeginLive() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.phase != open {
		return fault.New(fault.Draining, "begin live work", "the node is stopping")
	}
	return nil
}

// LivePayment is a payment for live work with valid credentials.
type LivePayment struct {
	req   SegmentRequest
	quote pm.Quote
}

// CheckLive checks the credentials of a payment for live work: its signature, capabilities and
// token. The error is a *fault.Fault.
func (o *Orchestrator) CheckLive(req SegmentRequest) (*LivePayment, error) {
	quote, err := o.checkCredentials("check a payment for live work", &req, o.fullOffer())
	if err != nil {
		return nil, err
	}
	return &LivePayment{req, quote}, nil
}

// Session returns the id of the payment's token.
func (p *LivePayment) Session() core.SessionID { return p.req.Token.Session }

// Manifest returns the session that the credentials name.
func (p *LivePayment) Manifest() core.ManifestID { return p.req.Manifest }

// Sender returns the account that pays.
func (p *LivePayment) Sender() core.Address { return p.quote.Sender }

// Quoted reports whether the token's price was quoted for some work, and which it is.
func (p *LivePayment) Quoted(work *LiveWork) (pm.Price, bool) {
	model := work.model()
	return p.quote.Price, p.quote.Covers(&model)
}

// Expects reports whether the payer expects a price.
func (p *LivePayment) Expects(price pm.Price) bool {
	return p.req.Payment.Expected != nil && p.req.Payment.Expected.Equal(price)
}

// job is the payment as the books take it, for the account of a manifest.
func (p *LivePayment) job(manifest core.ManifestID) *pm.Job {
	job := &pm.Job{Account: pm.Account{Key: pm.LiveKey(manifest)}, Quote: p.quote}
	addPayment(job, &p.req)
	return job
}

// CreditLive takes a payment for the live work of the manifest that its credentials name. It
// returns the offer for the answer, with the payment's own token. The error is a *fault.Fault.
func (o *Orchestrator) CreditLive(ctx context.Context, p *LivePayment) (Info, error) {
	if o.opt.Live == nil {
		return o.info(*p.req.Token, nil), nil
	}
	if p.req.PaymentErr != nil {
		return Info{}, p.req.PaymentErr
	}
	terms, err := o.terms(core.WithPeer(ctx, core.PeerSite(p.req.From)), &p.quote)
	if err != nil {
		return Info{}, fault.Wrap(fault.ReplyTermsFailed, "make terms for the answer", err)
	}
	if err := o.opt.Live.Credit(ctx, p.job(p.req.Manifest)); err != nil {
		return Info{}, err
	}
	return o.info(*p.req.Token, terms), nil
}
