package byoc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/fetchurl"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

const (
	// maxReason bounds what is read of a refusal to find its reason.
	maxReason = 2 << 10
	// reasonWithin bounds how long an orchestrator that failed may take to say why.
	reasonWithin = 2 * time.Second
)

// request is one job of a client.
type request struct {
	s      *Server
	w      http.ResponseWriter
	r      *http.Request
	job    *job
	client caller
	grant  *apikeys.Grant
	body   []byte
	// header is the signed job, target its path at orchestrators.
	header, target string
	// billed are the seconds that orchestrators may have charged.
	billed int64
	// bill is what was paid, nil before an orchestrator was looked for.
	bill *apikeys.Bill
	// waited is how long the client has let its orchestrator wait; done: the answer is whole, and none of an error.
	waited time.Duration
	done   bool
}

// serveRequest passes a job to an orchestrator, and its answer back.
func (s *Server) serveRequest(w http.ResponseWriter, r *http.Request) {
	x := &request{s: s, w: w, r: r}
	err := x.serve()
	x.recordSpend()
	if x.grant != nil {
		x.grant.SetBilled(inference.Units(x.billed))
		x.grant.Settle(inference.Usage{}, false)
	}
	switch {
	case err == nil:
	case errors.Is(err, errCut):
		panic(http.ErrAbortHandler) // the client must see that its answer is not whole
	default:
		refuse(w, err)
	}
}

func (x *request) serve() (err error) {
	s, r := x.s, x.r
	if err := s.known(x.w, r, http.MethodPost, false); err != nil {
		return err
	}
	if x.job, err = parseJob(r.Header.Get(jobHeader)); err != nil {
		return err
	}
	if fetchurl.Climbs(r.URL.Path) {
		return invalid("the path leads out of that of requests")
	}
	if err := x.job.nameStream(nil); err != nil {
		return err
	}
	if x.grant, x.client, err = s.admit(r, path+"request", x.job); err != nil {
		return err
	}
	if err := s.enter(x.client); err != nil {
		return err
	}
	defer s.leave(x.client)
	data, release, err := s.readBody(x.w, r, x.client)
	if err != nil {
		return err
	}
	defer release()
	x.body = data
	ctx, stop := s.joined(r.Context())
	defer stop()
	id, err := s.random()
	if err != nil {
		return err
	}
	if x.header, err = s.o.Client.SignCapabilityJob(ctx, x.job.wire(id)); err != nil {
		return err
	}
	x.target = path + "request/" + strings.TrimPrefix(r.URL.EscapedPath(), path+"request/")
	x.bill = apikeys.NewBill(x.grant)
	ctx = inference.WithFunds(ctx, x.bill)
	found, err := s.search(ctx, x.job, s.timesOf(r.Header))
	if err != nil {
		return err
	}
	return x.tryAll(ctx, found)
}

// joined is a request's context that ends with the server too.
func (s *Server) joined(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

// tryAll tries orchestrators one after another until one answers. A job whose time ran out is not tried again. Those
// that failed are blamed once another one did the job: the request was not the cause.
func (x *request) tryAll(ctx context.Context, found []*upstream.CapabilityTerms) error {
	var failed []error
	var last error
	for _, t := range found {
		err := x.try(ctx, t)
		if err == nil && x.done {
			for _, at := range failed {
				upstream.Blame(at)
			}
		}
		if err == nil || errors.Is(err, errCut) || errors.Is(err, fault.JobLate) || ctx.Err() != nil {
			return err
		}
		x.s.o.Log.Info("an orchestrator did not do a job", "orchestrator", t.URI, "model", x.job.capability,
			fault.Attr(err))
		failed, last = append(failed, err), err
	}
	return last
}

// try has an orchestrator do the job. Without an error the client has its answer.
func (x *request) try(ctx context.Context, t *upstream.CapabilityTerms) error {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(x.job.seconds)*time.Second+x.s.o.Limits.Grace)
	defer cancel()
	for refused := false; ; refused = true {
		p, _, err := pay(ctx, t, x.client.name, x.job.seconds, refused)
		if err != nil {
			return err
		}
		resp, began, err := x.send(ctx, t, p)
		if err != nil {
			return err
		}
		reason, short := underfunded(resp)
		if short {
			resp.Body.Close()
			upstream.Short(p)
			if t.Paid() && !refused {
				continue
			}
			return upstream.Forgone(fault.New(fault.InsufficientBalance, "send a job",
				"the orchestrator says that it was not paid enough"), p)
		}
		if resp.StatusCode >= http.StatusInternalServerError {
			resp.Body.Close()
			upstream.RefuseCapability(p, resp.StatusCode)
			return upstream.Forgone(failed(resp.StatusCode, reason), p)
		}
		return x.relay(ctx, t, resp, p, began)
	}
}

// send sends the job.
func (x *request) send(ctx context.Context, t *upstream.CapabilityTerms, p upstream.Payment) (*http.Response, time.Time,
	error) {
	began := x.s.o.Now()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.URI+x.target, bytes.NewReader(x.body))
	if err != nil {
		settleUnsent(p)
		return nil, began, fault.Wrap(fault.OrchestratorUnusable, "send a job", err)
	}
	r.GetBody = nil // a payment is sent once
	r.URL.RawQuery = x.r.URL.RawQuery
	r.Header.Set(jobHeader, x.header)
	if mime := x.r.Header.Get("Content-Type"); mime != "" {
		r.Header.Set("Content-Type", mime)
	}
	resp, err := x.s.o.Client.SendCapability(r, p)
	return resp, began, err
}

// underfunded reads the beginning of a refusal, and reports whether it says that the payment is too small. The
// answer's body stays whole.
func underfunded(resp *http.Response) (reason string, short bool) {
	if resp.StatusCode != http.StatusBadRequest && resp.StatusCode != http.StatusPaymentRequired &&
		resp.StatusCode < http.StatusInternalServerError {
		return "", false
	}
	if resp.StatusCode >= http.StatusInternalServerError { // nothing of it is passed on: it may not take long
		late := time.AfterFunc(reasonWithin, func() { _ = resp.Body.Close() })
		defer late.Stop()
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxReason))
	rest := io.Reader(resp.Body)
	if err != nil {
		rest = failing{err}
	}
	resp.Body = &whole{io.MultiReader(bytes.NewReader(data), rest), resp.Body}
	reason = strings.TrimSpace(string(data))
	return reason, resp.StatusCode < http.StatusInternalServerError &&
		strings.Contains(strings.ToLower(reason), "insufficient balance")
}

// whole is a body whose beginning was read already.
type whole struct {
	io.Reader
	io.Closer
}

// failing fails.
type failing struct{ err error }

// Read fails.
func (f failing) Read([]byte) (int, error) { return 0, f.err }

// failed is the fault of an orchestrator's answer that no client gets.
func failed(status int, reason string) error {
	code := fault.JobFailed
	if status == http.StatusServiceUnavailable {
		code = fault.OrchestratorFull
	}
	return fault.New(code, "send a job", fmt.Sprintf("%d %.200s", status, reason))
}
