package upstream

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/rpc"
)

// maxLiveAnswer bounds the answer to the start of a live stream, and to a payment for it.
const maxLiveAnswer = 64 << 10

// Paid reports whether work under the terms is paid for.
func (t *Terms) Paid() bool { return t.bills() }

// Expensive reports a price above this gateway's limits, also where it pays more if it has to.
func (t *Terms) Expensive() bool { return expensive(t.paymentTerms) }

// StartLive sends the request that begins a live stream, with the payment for its first units; none are paid where the
// work is free. ctx bounds it. The answer may be a refusal. The payment is the caller's to settle after an answer with
// status 200, and is settled otherwise. An error is a fault, as of Submit. The client writes the stream's parameters,
// so a start that fails counts as its doing (see Forgone).
func (c *Client) StartLive(ctx context.Context, t *Terms, client string, units int64, body []byte) (status int,
	answer []byte, paid Payment, err error) {
	payment, err := t.paymentTerms.Pay(ctx, client, units)
	if err != nil {
		return 0, nil, nil, &UnpaidError{err}
	}
	header := emptyPayment
	if payment.Header() != "" {
		header = []string{payment.Header()}
	}
	r := (&http.Request{
		Method: http.MethodPost, URL: t.url, Host: t.url.Host, ContentLength: int64(len(body)),
		Body: io.NopCloser(bytes.NewReader(body)),
		Header: http.Header{rpc.PaymentHeader: header, rpc.SegmentHeader: t.segment, "Authorization": jobMarker,
			"Content-Type": {"application/json"}},
	}).WithContext(ctx)
	status, answer, err = c.sendLive(r, payment, payment.Forgo)
	return status, answer, payment, Forgone(err, payment)
}

// sendLive sends a request with a payment, and settles it unless the answer's status is 200. failed is called before
// that where the orchestrator may keep it.
func (c *Client) sendLive(r *http.Request, payment Payment, failed func()) (status int, answer []byte, err error) {
	const op = "pay for a live stream"
	resp, err := c.jobs.RoundTrip(r)
	if err != nil {
		how := outcomeWithoutAnswer(r.Context(), err)
		if how == sender.Failed {
			failed()
		}
		payment.Settle(how, 0)
		if notSent(err) {
			return 0, nil, fault.Wrap(fault.OrchestratorUnreachable, op, err)
		}
		return 0, nil, fault.Wrap(fault.JobBroke, op, err)
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(resp.Body, maxLiveAnswer))
	if err != nil {
		failed()
		payment.Settle(sender.Failed, 0)
		return 0, nil, fault.Wrap(fault.JobBroke, op, err)
	}
	if resp.StatusCode != http.StatusOK {
		failed()
		payment.Settle(sender.Refused, 0)
	}
	return resp.StatusCode, answer, nil
}

// LivePayments pays on for one live stream at an orchestrator, whose terms come again with each answer. It is used by
// one goroutine.
type LivePayments struct {
	c        *Client
	t        *Terms
	manifest core.ManifestID
	client   string
	// info and terms are the latest.
	info  Info
	terms PaymentTerms
}

// LivePayments makes what pays for a stream that an orchestrator calls manifest.
func (c *Client) LivePayments(t *Terms, manifest core.ManifestID, client string) *LivePayments {
	return &LivePayments{c: c, t: t, manifest: manifest, client: client, info: t.Info, terms: t.paymentTerms}
}

// Pay pays for further units. The payment is the caller's to settle. Errors are faults; without a payment nothing was
// credited.
func (p *LivePayments) Pay(ctx context.Context, units int64) (Payment, error) {
	payment, err := p.terms.Pay(ctx, p.client, units)
	if err != nil {
		return nil, &UnpaidError{err}
	}
	if payment.Header() == "" {
		return payment, nil // what earlier tickets were worth is enough
	}
	segment, err := p.credentials(ctx)
	if err != nil {
		payment.Settle(sender.Unsent, 0)
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.info.GetTranscoder()+"/payment", http.NoBody)
	if err != nil {
		payment.Settle(sender.Unsent, 0)
		return nil, fault.Wrap(fault.OrchestratorUnusable, "pay for a live stream", err)
	}
	r.Header[rpc.PaymentHeader], r.Header[rpc.SegmentHeader] = []string{payment.Header()}, []string{segment}
	status, answer, err := p.c.sendLive(r, payment, func() {})
	switch {
	case err != nil:
		return nil, err
	case status != http.StatusOK:
		return nil, fault.New(fault.JobDeclined, "pay for a live stream", string(answer[:min(len(answer), 200)]))
	}
	p.take(answer)
	return payment, nil
}

// Refresh takes a new token and new ticket parameters from the orchestrator, at the stream's price: a token lasts for
// half an hour. Errors are faults, and then what is in use stays.
func (p *LivePayments) Refresh(ctx context.Context) error {
	const op = "refresh the terms of a live stream"
	ctx, cancel := context.WithTimeout(ctx, videorouting.RefreshTimeout)
	defer cancel()
	info, err := p.c.Ask(ctx, p.t.asked, p.t.wants)
	if err != nil {
		return err
	}
	price, was := priceOf(info), p.t.Offer.Price
	switch {
	case info.GetTranscoder() != p.info.GetTranscoder() || string(info.GetAddress()) != string(p.info.GetAddress()),
		info.GetAuthToken() == nil:
		return fault.New(fault.OrchestratorUnusable, op, "it answers as another orchestrator, or without a token")
	case (price == nil) != (was == nil) || price != nil && price.Cmp(was) != 0:
		return fault.New(fault.PriceRaised, op, "the price is another one since the stream began")
	}
	if err := p.c.payments.Usable(info); err != nil {
		return unusable(err)
	}
	terms, err := p.c.payments.PaymentTerms(info, Work{Model: &p.t.model, Asked: p.t.asked})
	if err != nil {
		return err
	}
	p.info, p.terms = trimmed(info), terms
	return nil
}

// credentials name the stream for which is paid.
func (p *LivePayments) credentials(ctx context.Context) (string, error) {
	meta := rpc.SegmentMeta{Manifest: p.manifest, Hash: signature.Keccak256(), Capabilities: p.t.wants.Capabilities,
		Token: p.info.GetAuthToken()}
	var err error
	if meta.Sig, err = p.c.payments.Sign(ctx, signature.Segment(meta.Manifest, 0, meta.Hash, nil)); err != nil {
		return "", signFault("sign a payment", err)
	}
	header, err := rpc.EncodeHeader(rpc.ToSegData(&meta))
	if err != nil {
		return "", fault.Wrap(fault.Unexpected, "describe a payment", err)
	}
	return header, nil
}

// take takes new terms out of an answer. Others than those of the same orchestrator and session, and those at a raised
// price, are ignored: the terms in use stay until they are worn.
func (p *LivePayments) take(answer []byte) {
	m := new(rpc.PaymentResult)
	if rpc.Unmarshal(answer, m) != nil || m.GetInfo() == nil {
		return
	}
	info := m.GetInfo()
	if info.GetTranscoder() != p.info.GetTranscoder() || string(info.GetAddress()) != string(p.info.GetAddress()) ||
		info.GetAuthToken().GetSessionId() != p.info.GetAuthToken().GetSessionId() || p.c.payments.Usable(info) != nil {
		return
	}
	terms, err := p.c.payments.PaymentTerms(info, Work{Model: &p.t.model, Asked: p.t.asked})
	if err != nil || raised(p.t.paymentTerms, terms) != nil {
		return
	}
	p.info = &rpc.OrchestratorInfo{Transcoder: info.GetTranscoder(), Address: info.GetAddress(),
		AuthToken: info.GetAuthToken()}
	p.terms = terms
}
