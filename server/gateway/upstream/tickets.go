package upstream

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pricing"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/rpc"
)

// Caps are the maximum prices per unit of work, in wei; nil accepts any price. pricing.Caps
// implements them.
type Caps interface {
	MaxTranscoding() *big.Rat
	MaxModel(m inference.Model) *big.Rat
}

// RemoteKey signs with a key that this process does not have.
type RemoteKey interface {
	// Identity is the account and its signature over itself.
	Identity(ctx context.Context) (address, sig []byte, err error)
	// SignSegment signs a segment's description.
	SignSegment(ctx context.Context, description []byte) ([]byte, error)
}

// TicketOptions make TicketPayments. Sender, and Sign or Remote, must be set.
type TicketOptions struct {
	Sender *sender.Sender
	// Sign signs a message with the sender's key.
	Sign func(m signature.Message) ([]byte, error)
	// Remote signs in another process, in place of Sign; nil without one.
	Remote RemoteKey
	// Caps are checked before each payment; nil pays any price. AllowExpensive pays more: then only
	// the choice of orchestrators considers them.
	Caps           Caps
	AllowExpensive bool
}

// TicketPayments pays with tickets: it converts between wire messages and the sender.
type TicketPayments struct {
	opt TicketOptions
	// identity is the signature over the address, which is made once.
	identity func() ([]byte, error)
}

// NewTicketPayments makes the payments of a gateway on the chain.
func NewTicketPayments(opt TicketOptions) *TicketPayments {
	p := &TicketPayments{opt: opt}
	var mu sync.Mutex
	var sig []byte
	p.identity = func() (_ []byte, err error) {
		mu.Lock()
		defer mu.Unlock()
		if sig == nil { // a locked key may be unlocked the next time
			sig, err = p.sign(signature.RequestMessage(common.Address(opt.Sender.Account())))
		}
		return sig, err
	}
	return p
}

// Identity returns the account and its signature over itself.
func (p *TicketPayments) Identity(ctx context.Context) (address, sig []byte, err error) {
	if p.opt.Remote != nil {
		return p.opt.Remote.Identity(ctx)
	}
	account := p.opt.Sender.Account()
	sig, err = p.identity()
	return account[:], sig, err
}

// Sign signs a segment's description.
func (p *TicketPayments) Sign(ctx context.Context, description []byte) ([]byte, error) {
	if p.opt.Remote != nil {
		return p.opt.Remote.SignSegment(ctx, description)
	}
	m, err := signature.SegmentMessage(common.Address(p.opt.Sender.Account()), description)
	if err != nil {
		return nil, fault.Wrap(fault.PaymentUnsigned, "describe a segment", err)
	}
	return p.sign(m)
}

// SignJob signs a job of BYOC. Remote signers sign none.
func (p *TicketPayments) SignJob(_ context.Context, request, parameters string) ([]byte, error) {
	if p.opt.Remote != nil {
		return nil, fault.New(fault.PaymentUnsigned, "sign a job",
			"a remote signer signs no jobs of BYOC: run the gateway with an account of its own")
	}
	m, err := signature.JobMessage(common.Address(p.opt.Sender.Account()), request, parameters)
	if err != nil {
		return nil, fault.Wrap(fault.RequestUnreadable, "sign a job", err)
	}
	return p.sign(m)
}

func (p *TicketPayments) sign(m signature.Message) ([]byte, error) {
	sig, err := p.opt.Sign(m)
	if err != nil {
		return nil, fault.Wrap(fault.PaymentUnsigned, "sign a request", err)
	}
	return sig, nil
}

// Usable requires a price, and if it is not 0, parameters that tickets can be made with. The level
// of the price is left to the choice among orchestrators.
func (p *TicketPayments) Usable(info Info) error {
	terms, err := termsOf(info, Work{})
	if err != nil {
		return err
	}
	return p.checkFresh(terms)
}

// checkFresh refuses terms that have expired or are used up on arrival.
func (p *TicketPayments) checkFresh(terms *sender.Terms) error {
	if p.opt.Sender.Wear(terms) == sender.Stale {
		return outdatedError{fault.New(fault.TicketParamsUnusable, "read terms of payment",
			"the ticket params had expired, or were used up, when they came")}
	}
	return nil
}

// outdatedError is the fault of terms whose parameters had expired on arrival.
type outdatedError struct{ error }

// Unwrap is the fault.
func (e outdatedError) Unwrap() error { return e.error }

// Outdated reports whether an orchestrator's terms had expired on arrival: it sees new blocks late,
// because its own endpoint is stale, and will give better terms later.
func Outdated(err error) bool {
	_, ok := errors.AsType[outdatedError](err)
	return ok
}

// PaymentTerms reads the terms of payment.
func (p *TicketPayments) PaymentTerms(info Info, work Work) (PaymentTerms, error) {
	terms, err := termsOf(info, work)
	if err != nil {
		return nil, err
	}
	d := &ticketTerms{p: p, terms: terms, model: work.Model, price: terms.Price.Rat()}
	if d.model != nil {
		d.price = modelPrice(d.price, *d.model, info)
	}
	if p.opt.Remote != nil && terms.Params != nil {
		if terms.Raw, err = proto.Marshal(trimmedForSigner(info)); err != nil {
			return nil, fault.Wrap(fault.OrchestratorUnusable, "read terms of payment", err)
		}
	}
	return d, nil
}

// trimmedForSigner returns the part of an offer that a remote signer needs.
func trimmedForSigner(info Info) Info {
	return &rpc.OrchestratorInfo{Transcoder: info.GetTranscoder(), Address: info.GetAddress(),
		AuthToken: info.GetAuthToken(), TicketParams: info.GetTicketParams(), PriceInfo: info.GetPriceInfo()}
}

// termsOf reads an orchestrator's terms of payment. Errors are faults
// OrchestratorUnusable and TicketParamsUnusable.
func termsOf(info Info, work Work) (*sender.Terms, error) {
	const op = "read terms of payment"
	model := work.Model
	price, ok := rpc.FromPriceInfo(info.GetPriceInfo())
	if !ok {
		return nil, fault.New(fault.OrchestratorUnusable, op, "it names no price")
	}
	t := sender.Terms{
		Peer: info.GetTranscoder(), Session: core.SessionID(info.GetAuthToken().GetSessionId()), Price: price,
		Key: core.ManifestID(info.GetAuthToken().GetSessionId()), Pipeline: "transcoding", Nonces: sender.NetworkNonces,
		Payee: cmp.Or(work.Payee, work.Asked), Push: work.Stream,
	}
	if a := info.GetAddress(); len(a) == len(t.Address) {
		t.Address = core.Address(a)
	}
	if model != nil {
		t.Key, t.Pipeline, t.Model = model.Manifest(), model.Capability.Pipeline(), model.ID
	}
	if info.GetNode() != "" {
		t.Nonces, t.Confirms = sender.OwnNonces, model != nil
	}
	if price.Free() {
		return sender.NewTerms(t), nil
	}
	params, err := rpc.FromTicketParams(info.GetTicketParams())
	switch {
	case err != nil:
		return nil, err
	case params.ExpirationBlock == 0:
		return nil, fault.New(fault.TicketParamsUnusable, op, "ticket params without an expiration block")
	case params.Recipient.IsZero() || params.RecipientRandHash.IsZero():
		return nil, fault.New(fault.TicketParamsUnusable, op, "ticket params without a recipient")
	}
	// The orchestrator names the recipient, and may name another one's account: what is recorded of
	// one must not count for the other.
	t.Params, t.Owner = &params, t.Payee+" "+params.Recipient.String()
	return sender.NewTerms(t), nil
}

// ticketTerms is how one orchestrator is paid.
type ticketTerms struct {
	p     *TicketPayments
	terms *sender.Terms
	model *inference.Model
	// price is the price of a unit by our count, to which the caps apply.
	price *big.Rat
}

// Wear reports the wear of the ticket parameters.
func (d *ticketTerms) Wear() sender.Wear { return d.p.opt.Sender.Wear(d.terms) }

// Pay makes tickets and their message.
func (d *ticketTerms) Pay(ctx context.Context, client string, units int64) (Payment, error) {
	if err := d.checkPrice(); err != nil {
		return nil, err
	}
	settle, err := hold(ctx, d.terms.Price.Cost(max(0, units)))
	if err != nil {
		return nil, err
	}
	p, err := d.pay(ctx, client, units)
	switch {
	case settle == nil:
	case err != nil:
		settle(core.Wei{}, true)
	default:
		p.ChargeRequest()
		return &fundedPayment{ticketPayment: p, settle: settle}, nil
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (d *ticketTerms) pay(ctx context.Context, client string, units int64) (p ticketPayment, err error) {
	_, span := telemetry.Child(ctx, telemetry.Internal, "pay", "")
	defer func() { span.Fail(err); span.End() }()
	paid, err := d.p.opt.Sender.Pay(ctx, d.terms.For(client), units)
	if err != nil {
		return p, d.explainTooExpensive(err, units)
	}
	raw, err := proto.Marshal(rpc.ToPayment(&paid.Payment))
	if err != nil {
		paid.Settle(sender.Unsent, 0)
		return p, fault.Wrap(fault.Unexpected, "encode payment", err)
	}
	p = ticketPayment{paid, base64.StdEncoding.EncodeToString(raw)}
	if span.On() {
		span.Int(telemetry.Units, units)
		span.Int(telemetry.Tickets, int64(len(paid.Tickets)))
		span.Text(telemetry.Value, p.Value().String())
	}
	return p, nil
}

// explainTooExpensive names the request as the cause when no payment for this many units is within
// this gateway's limits: neither waiting nor earlier work changes that.
func (d *ticketTerms) explainTooExpensive(err error, units int64) error {
	switch fault.CodeOf(err) {
	case fault.TicketTotalEVHigh, fault.TicketsTooMany, fault.CreditInUse:
	default:
		return err
	}
	most := d.p.opt.Sender.MostUnits(d.terms)
	if d.model == nil || most == 0 || units <= most {
		return err
	}
	price, _ := d.terms.Price.Rat().Float64()
	detail := fmt.Sprintf("the request is priced at %d units of %g wei each, and this gateway pays for at most %d",
		units, price, most)
	if d.model.Capability == capability.LLM {
		detail = fmt.Sprintf("max_tokens of all answers together is %d, at %g wei each, and this gateway pays for at most %d",
			units, price, most)
	}
	return &fault.Fault{Code: fault.RequestTooExpensive, Op: "make payment", Detail: detail, Err: err}
}

// checkPrice checks the caps, which may have changed since the orchestrator was chosen.
func (d *ticketTerms) checkPrice() error {
	most := d.maxPrice()
	if d.p.opt.AllowExpensive || !pricing.AbovePriceCap(d.price, most) {
		return nil
	}
	return fault.New(fault.PriceTooHigh, "make payment", d.price.RatString()+" wei, at most "+pm.ValueOf(most).String())
}

// raised refuses a price that is too far above the one with which some work began: no other orchestrator is looked for
// while it goes on. The error is the fault PriceRaised.
func raised(first, now PaymentTerms) error {
	f, paid := first.(*ticketTerms)
	n, both := now.(*ticketTerms)
	if !paid || !both {
		return nil
	}
	return pm.CheckPrice(f.terms.Price, n.terms.Price)
}

// expensive reports terms above the caps, also where more is paid if there is no other orchestrator.
func expensive(t PaymentTerms) bool {
	d, paid := t.(*ticketTerms)
	if !paid {
		return false
	}
	return pricing.AbovePriceCap(d.price, d.maxPrice())
}

// maxPrice is the cap, nil for none.
func (d *ticketTerms) maxPrice() *big.Rat {
	if d.p.opt.Caps == nil {
		return nil
	}
	if d.model == nil {
		return d.p.opt.Caps.MaxTranscoding()
	}
	return d.p.opt.Caps.MaxModel(*d.model)
}

// ticketPayment is a payment with its message.
type ticketPayment struct {
	*sender.Payment
	header string
}

// Value returns the expected value of the tickets.
func (p ticketPayment) Value() pm.Value {
	if len(p.Tickets) == 0 {
		return pm.Value{}
	}
	return p.Params.EV().Times(int64(len(p.Tickets)))
}

// Header returns the message in base64.
func (p ticketPayment) Header() string { return p.header }
