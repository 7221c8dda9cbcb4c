package upstream

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/http1"
	"github.com/tuttinode/tutti/server/rpc"
)

// Values that are the same for every job. Read-only.
var (
	jobMarker    = []string{"Livepeer-AI-Worker-1.0"}
	emptyPayment = []string{""}
)

// Submit sends a job to an orchestrator and returns once its answer has begun: at least one byte
// arrived. Its reader reports what it delivered (see Answer). ctx governs the whole answer; when it
// ends, or the body is closed early, the connection is closed at once. The job's body must be in
// the form that the orchestrator accepts.
//
// Errors are faults. OrchestratorUnreachable says that nothing was sent; JobBroke, JobLate and
// Canceled that no answer began; all others are the answer's: JobRefused and other faults of class
// BadRequest when the request is wrong, OrchestratorFull, TicketParamsStale, TicketNonceRefused,
// InvalidAuthToken, ExpiredAuthToken, JobDeclined, JobFailed, AnswerUnreadable, and from our own
// nodes whatever they name. Faults of this gateway's own payment come before all of them; then
// nothing was sent (see Unpaid). Lost is the value that a failure cost.
func (c *Client) Submit(ctx context.Context, t *Terms, job *inference.Job) (*Answer, error) {
	payment, err := t.paymentTerms.Pay(ctx, job.Client, t.units(job))
	if err != nil {
		return nil, &UnpaidError{err}
	}
	// Default: sent and failed. It does nothing if the payment is settled otherwise.
	outer := ctx
	defer func() { payment.Settle(outcomeOfFailure(outer), 0) }()
	ctx, cancel := context.WithCancelCause(ctx)
	x := jobCall{outer: outer, ctx: ctx, cancel: cancel, payment: payment}
	x.timer = time.AfterFunc(c.answerTimeout(t, job), func() { cancel(errLate) })
	x.silence = c.limits.Silence
	if t.Node != "" {
		ctx = http1.WithInterim(ctx, x.interim)
	}
	var peer netip.Addr
	req := c.jobRequest(t, job, payment.Header()).WithContext(recordPeer(ctx, &peer))
	if t.Node != "" {
		telemetry.Inject(ctx, req.Header)
	}
	reply, err := x.run(c.jobs, req, t, job)
	if x.offer != "" {
		c.takeOffer(outer, t, x.offer)
	}
	if err != nil {
		x.stop()
		cancel(nil)
		if x.clientLeft && t.bills() {
			err = &BilledError{err, job.Units}
		}
		return nil, lost(err, payment)
	}
	reply.Peer = peer
	return reply, nil
}

// lost adds the cost to a failure. A request that was not sent cost nothing.
func lost(err error, p Payment) error {
	if v := p.Value(); v.Sign() > 0 && fault.CodeOf(err) != fault.OrchestratorUnreachable {
		return &LostError{err, v, p.Blame}
	}
	return err
}

// jobRequest builds the request.
func (c *Client) jobRequest(t *Terms, job *inference.Job, payment string) *http.Request {
	h := make(http.Header, 8)
	values := []string{job.ContentType, payment, string(job.Operation), job.RequestID} // one list for all
	h[rpc.PaymentHeader] = emptyPayment
	h[rpc.SegmentHeader] = t.segment
	h["Authorization"] = jobMarker
	h["Content-Type"] = values[:1:1]
	body := func() (io.ReadCloser, error) { return io.NopCloser(job.Open()), nil }
	first, _ := body() // never fails
	r := &http.Request{
		Method: http.MethodPost, URL: t.url, Host: t.url.Host, Header: h,
		Body: first, ContentLength: job.Size(job.Body),
	}
	if payment != "" {
		// Without GetBody no transport sends the request twice.
		h[rpc.PaymentHeader] = values[1:2:2]
	} else {
		// A kept connection may have been closed unnoticed. The job may then be sent again on a new
		// one (the key without a value permits this and is not sent); a payment may not.
		h["Idempotency-Key"] = nil
		r.GetBody = body
	}
	if t.Node != "" {
		h[rpc.NodeHeader] = c.node
		h[rpc.OperationHeader] = values[2:3:3]
		if job.RequestID != "" {
			h[rpc.RequestIDHeader] = values[3:]
		}
	}
	return r
}

// jobCall is one job at one orchestrator until its answer has begun.
type jobCall struct {
	outer, ctx context.Context
	cancel     context.CancelCauseFunc
	timer      *time.Timer
	payment    Payment
	silence    time.Duration
	// clientLeft: the client left during the work.
	clientLeft bool
	// offer is the header with new terms, "" without one.
	offer string
}

// interim handles an interim answer.
func (x *jobCall) interim(_ int, h http.Header) {
	if h.Get(rpc.CreditedHeader) != "" {
		x.payment.Credited()
	}
}

// stop stops the timer of the first byte; it is false when that has fired.
func (x *jobCall) stop() bool { return x.timer.Stop() }

func (x *jobCall) run(jobs http.RoundTripper, req *http.Request, t *Terms, job *inference.Job) (*Answer, error) {
	resp, err := jobs.RoundTrip(req)
	if err != nil {
		how := outcomeWithoutAnswer(x.outer, err)
		if how == sender.Failed {
			x.payment.Forgo()
		}
		x.clientLeft = how == sender.Abandoned
		x.payment.Settle(how, 0)
		return nil, x.fault("send job", err)
	}
	own := t.Node != ""
	if own {
		x.offer = resp.Header.Get(rpc.OfferHeader)
	}
	if !passedOn(resp, own) {
		defer resp.Body.Close()
		err := jobRefusal(resp, own)
		if requestMayCause(err) {
			x.payment.Forgo()
		}
		x.payment.Settle(jobOutcome(err, resp.StatusCode, own), 0)
		return nil, err
	}
	if resp.StatusCode == http.StatusOK {
		if err := checkAnswer(resp, job, own); err != nil {
			resp.Body.Close()
			return nil, err
		}
	}
	first, err := firstBytes(resp.Body)
	if err != nil || !x.stop() {
		resp.Body.Close()
		// The network's nodes break off when a model server's stream begins with an error.
		if outcomeOfFailure(x.outer) == sender.Failed && err != io.EOF {
			x.payment.Forgo()
		}
		x.clientLeft = outcomeOfFailure(x.outer) == sender.Abandoned
		return nil, x.fault("wait for the answer", err)
	}
	body := &answerBody{
		first: first, rest: resp.Body, outer: x.outer, ctx: x.ctx, cancel: x.cancel, payment: x.payment, silence: x.silence,
		units: x.settle(resp.StatusCode, t.units(job)),
	}
	a := &Answer{
		Reply: inference.Reply{
			Status: resp.StatusCode, ContentType: resp.Header.Get("Content-Type"), Length: resp.ContentLength, Body: body,
		},
		Paid: t.Price != nil, body: body,
	}
	if t.bills() && body.units > 0 {
		a.Billed = inference.Units(job.Units) // by our own count: another node's may be in thousandths
	}
	return a, nil
}

// settle settles the payment of an answer that has begun, which orchestrators bill in full however
// it ends. A client's error is not billed: what was paid for it stays in the balance. It returns
// the billed units.
func (x *jobCall) settle(status int, whole int64) (units int64) {
	if status == http.StatusOK {
		units = whole
	}
	x.payment.Settle(sender.Served, units)
	return units
}

// fault classifies a failed call by its cause.
func (x *jobCall) fault(op string, err error) error {
	switch {
	case frozen(x.outer):
		return fault.Wrap(fault.JobLate, op, ErrFrozen)
	case x.outer.Err() != nil:
		return fault.Wrap(fault.CodeOf(x.outer.Err()), op, err)
	case errors.Is(context.Cause(x.ctx), errLate):
		return fault.Wrap(fault.JobLate, op, err)
	case notSent(err):
		return fault.Wrap(fault.OrchestratorUnreachable, op, err)
	}
	return fault.Wrap(fault.JobBroke, op, err)
}

// firstRead bounds what is read ahead to see that the answer has begun.
const firstRead = 1 << 10

// firstBytes waits for the first bytes of an answer. An empty answer is an error.
func firstBytes(body io.Reader) ([]byte, error) {
	buf := make([]byte, firstRead)
	n, err := io.ReadAtLeast(body, buf, 1)
	return buf[:n], err
}
