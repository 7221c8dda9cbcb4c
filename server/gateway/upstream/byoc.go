package upstream

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"net/http"
	"regexp"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core/byoc"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/rpc"
)

// maxToken bounds an orchestrator's terms for a capability.
const maxToken = 64 << 10

// CapabilityTerms are one orchestrator's terms for a capability of BYOC (ai.md 9.1): its answer to GET /process/token.
// Work counts in seconds. Read-only.
type CapabilityTerms struct {
	// URI is the address that was asked. Requests go there whatever address the answer names: an orchestrator
	// sends this gateway nowhere else.
	URI string
	// Capacity is how many slots it says are free.
	Capacity int64
	// Price is what a second costs, in wei; nil is free.
	Price *big.Rat

	balance *big.Rat
	terms   PaymentTerms
}

// wireToken is the answer's JSON.
type wireToken struct {
	Params   *rpc.TicketParams `json:"ticket_params"`
	Price    *rpc.PriceInfo    `json:"price"`
	Capacity int64             `json:"available_capacity"`
	Balance  json.RawMessage   `json:"balance"`
}

// plainNumber is how a balance is written: an exponent could make a number of gigabytes.
var plainNumber = regexp.MustCompile(`^"?(-?[0-9]{1,40}(?:\.[0-9]{1,40})?)"?$`) // Read-only.

// readBalance reads a balance in wei; one that cannot be read is 0.
func readBalance(text []byte) *big.Rat {
	m := plainNumber.FindSubmatch(text)
	if m == nil {
		return new(big.Rat)
	}
	v, _ := new(big.Rat).SetString(string(m[1])) // the form is checked
	return v
}

// AskCapability gets an orchestrator's terms for a capability. ctx bounds it. Errors are faults.
func (c *Client) AskCapability(ctx context.Context, uri, name string) (*CapabilityTerms, error) {
	const op = "ask for a capability"
	address, sig, err := c.payments.Identity(ctx)
	if err != nil {
		return nil, signFault("identify to orchestrator", err)
	}
	id, err := json.Marshal(map[string]string{"addr": common.BytesToAddress(address).Hex(), "sig": hexSignature(sig)})
	if err != nil {
		return nil, fault.Wrap(fault.Unexpected, op, err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, uri+"/process/token", http.NoBody)
	if err != nil {
		return nil, fault.Wrap(fault.OrchestratorUnusable, op, err)
	}
	r.Header.Set("Livepeer-Eth-Address", base64.StdEncoding.EncodeToString(id))
	r.Header.Set("Livepeer-Capability", name)
	resp, err := c.jobs.RoundTrip(r)
	switch {
	case err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fault.Wrap(fault.OrchestratorSilent, op, err)
	case err != nil:
		return nil, fault.Wrap(fault.OrchestratorUnreachable, op, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxToken+1))
	switch {
	case err != nil:
		return nil, fault.Wrap(fault.OrchestratorSilent, op, err)
	case resp.StatusCode != http.StatusOK:
		return nil, fault.New(fault.OrchestratorDeclined, op, string(data[:min(len(data), 200)]))
	case len(data) > maxToken:
		return nil, fault.New(fault.OrchestratorUnusable, op, "its answer is too large")
	}
	return c.readToken(uri, name, data)
}

// readToken reads the terms.
func (c *Client) readToken(uri, name string, data []byte) (*CapabilityTerms, error) {
	const op = "read the terms for a capability"
	var m wireToken
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fault.Wrap(fault.OrchestratorUnusable, op, err)
	}
	info := &rpc.OrchestratorInfo{Transcoder: uri, TicketParams: m.Params, PriceInfo: m.Price}
	if m.Params != nil {
		info.Address = m.Params.GetRecipient() // what is paid is recorded under it
	}
	t := &CapabilityTerms{URI: uri, Capacity: m.Capacity, Price: priceOf(info), balance: readBalance(m.Balance)}
	var err error
	t.terms, err = c.payments.PaymentTerms(info, Work{
		Model: &inference.Model{Capability: capability.BYOC, ID: name}, Asked: uri})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// hexSignature is a signature as the network writes it. One that is empty, as off-chain, is all zeros.
func hexSignature(sig []byte) string {
	if len(sig) == 0 {
		sig = make([]byte, signature.Length)
	}
	return "0x" + common.Bytes2Hex(sig)
}

// Paid reports whether work under the terms is paid for.
func (t *CapabilityTerms) Paid() bool {
	_, gratis := t.terms.(free)
	return t.Price != nil && !gratis
}

// Covers reports whether the orchestrator says that it holds enough for so many seconds.
func (t *CapabilityTerms) Covers(seconds int64) bool {
	return t.Price == nil || t.balance.Cmp(new(big.Rat).Mul(t.Price, new(big.Rat).SetInt64(seconds))) >= 0
}

// Expensive reports a price above this gateway's limits, also where it pays more if it has to.
func (t *CapabilityTerms) Expensive() bool { return expensive(t.terms) }

// CheckPrice refuses a price above this gateway's limits, with the fault PriceTooHigh.
func (t *CapabilityTerms) CheckPrice() error {
	if d, paid := t.terms.(*ticketTerms); paid {
		return d.checkPrice()
	}
	return nil
}

// CheckRaise refuses a price that is too far above the one of the terms with which a stream began, with the fault
// PriceRaised: no other orchestrator is looked for while it runs.
func (t *CapabilityTerms) CheckRaise(first *CapabilityTerms) error {
	return raised(first.terms, t.terms)
}

// Most is how many seconds one payment may be for, 0 for none and below 0 for any number.
func (t *CapabilityTerms) Most() int64 {
	if d, paid := t.terms.(*ticketTerms); paid {
		return d.p.opt.Sender.MostUnits(d.terms)
	}
	return -1
}

// Counted reports whether this gateway too counts that the orchestrator holds enough for so many seconds.
func (t *CapabilityTerms) Counted(seconds int64) bool {
	d, paid := t.terms.(*ticketTerms)
	return paid && d.p.opt.Sender.Holds(d.terms, seconds)
}

// Pay makes the payment for so many seconds. client is as in PaymentTerms.Pay. Errors are faults; the payment must be
// settled.
func (t *CapabilityTerms) Pay(ctx context.Context, client string, seconds int64) (Payment, error) {
	p, err := t.terms.Pay(ctx, client, seconds)
	if err != nil {
		return nil, &UnpaidError{err}
	}
	return p, nil
}

// SignCapabilityJob completes a job with this gateway's account and signature, and returns the header Livepeer. The
// error is a fault.
func (c *Client) SignCapabilityJob(ctx context.Context, job byoc.Wire) (string, error) {
	const op = "sign a job"
	address, _, err := c.payments.Identity(ctx)
	if err != nil {
		return "", signFault("identify to orchestrator", err)
	}
	sig, err := c.payments.SignJob(ctx, job.Request, job.Parameters)
	if err != nil {
		return "", signFault(op, err)
	}
	job.Sender, job.Sig = common.BytesToAddress(address).Hex(), hexSignature(sig)
	header, err := job.Header()
	if err != nil {
		return "", fault.Wrap(fault.Unexpected, op, err)
	}
	return header, nil
}

// SendCapability sends a request for a capability to an orchestrator, with a payment or nil. An answer's body is the
// caller's to close, and the payment the caller's to settle after an answer; it is settled here without one. Errors
// are faults: OrchestratorUnreachable when nothing was sent, JobLate at the end of ctx's time, JobBroke.
func (c *Client) SendCapability(r *http.Request, payment Payment) (*http.Response, error) {
	const op = "send a job"
	if payment != nil && payment.Value().Sign() > 0 {
		r.Header[rpc.PaymentHeader] = []string{payment.Header()}
	}
	resp, err := c.jobs.RoundTrip(r)
	if err == nil {
		return resp, nil
	}
	if payment != nil {
		how := outcomeWithoutAnswer(r.Context(), err)
		if how == sender.Failed {
			payment.Forgo()
		}
		payment.Settle(how, 0)
	}
	switch {
	case notSent(err) && r.Context().Err() == nil:
		return nil, fault.Wrap(fault.OrchestratorUnreachable, op, err)
	case errors.Is(r.Context().Err(), context.DeadlineExceeded):
		return nil, Forgone(&fault.Fault{Code: fault.JobLate, Op: op, Err: err,
			Detail: "the orchestrator did not answer within the job's time"}, payment)
	case r.Context().Err() != nil:
		return nil, fault.Wrap(fault.Canceled, op, err)
	}
	return nil, Forgone(fault.Wrap(fault.JobBroke, op, err), payment)
}

// RefuseCapability settles a payment after an answer with an error. Clients write the requests, and may be the cause of
// any error of a worker, so it counts as their doing: see Forgone.
func RefuseCapability(p Payment, status int) {
	if p == nil {
		return
	}
	p.Forgo()
	switch {
	case status == http.StatusServiceUnavailable, status == http.StatusPaymentRequired, status == http.StatusForbidden:
		p.Settle(sender.Refused, 0)
	case status >= http.StatusInternalServerError:
		p.Settle(sender.Failed, 0)
	default:
		p.Settle(sender.InputBad, 0) // what was not worked for is still there
	}
}

// Arrival says what came of an answer.
type Arrival int

// Of an answer with Left the client is the cause that it is not whole, of one with Broken its orchestrator.
const (
	Whole Arrival = iota
	Left
	Broken
)

// SettleCapability settles a payment after an answer: used is how many seconds the work took of this gateway's time,
// and came how many of them until the last part of the answer.
func SettleCapability(p Payment, how Arrival, came, used int64) {
	if p == nil {
		return
	}
	p.Settle(sender.Served, used)
	switch how {
	case Whole:
		p.Received(used)
	case Left:
		p.LeftAfter(min(came, used), used)
	default:
		p.Received(0)
	}
}

// Short settles a payment whose orchestrator says that it holds less than this gateway counts. A worker may say the
// same to its client, so that it counts as the client's doing.
func Short(p Payment) {
	if p != nil {
		p.Forgo()
		p.Settle(sender.Short, 0)
	}
}

// Forgone adds to the failure of some work its payment, for which the client may be the cause: Blame has it count
// against the orchestrator once another one does the work.
func Forgone(err error, p Payment) error {
	if err == nil || p == nil {
		return err
	}
	return lost(err, p)
}

// Value returns what a payment adds, nothing without one.
func Value(p Payment) pm.Value {
	if p == nil {
		return pm.Value{}
	}
	return p.Value()
}
