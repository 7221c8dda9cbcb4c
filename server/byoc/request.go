package byoc

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/tuttinode/tutti/core/byoc"
	"github.com/tuttinode/tutti/core/fetchurl"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/server/admission"
)

// details reads what the job says of a stream.
func details(job *byoc.Job) (byoc.Details, error) {
	d, err := job.Details()
	if err != nil {
		return d, &refusal{http.StatusBadRequest, "Unable to unmarshal job request details err=" + err.Error()}
	}
	return d, nil
}

// paidJob is a job with a slot, for which is charged. end must be called.
type paidJob struct {
	slot  *byoc.Slot
	work  *orchestrate.CapabilityWork
	meter *orchestrate.LiveMeter
	// counted ends what is counted of the job.
	counted func()
	// late are the seconds for which another process charges.
	late atomic.Int64
}

// take takes a slot for a job.
func (s *Server) take(r *http.Request, job *byoc.Job) (*paidJob, error) {
	slot := s.registry.Take(job.Capability)
	if slot == nil {
		return nil, errNoCapacity
	}
	price, err := s.price(&slot.Capability)
	if err != nil {
		s.o.Log.Debug("a capability has no price", "model", job.Capability, "err", err)
		slot.Give()
		return nil, errNoCapacity
	}
	return &paidJob{slot: slot, work: workOf(r, job.Capability, job.Sender, price)}, nil
}

// begin takes the payment. short is the answer to too little.
func (s *Server) begin(r *http.Request, x *paidJob, body Body, short *refusal) error {
	session, err := s.o.Rules.BeginCapability(r.Context(), x.work)
	if err != nil {
		return unpaid(err, short)
	}
	x.meter = orchestrate.NewLiveMeter(session)
	x.counted = s.tally.Begin(x.work.Capability, x.work.Price, x.meter.Charged)
	body.Paid()
	admission.Prove(r.Context())
	return nil
}

// enter adds a request that is charged for. It fails when the node stops, or another process has its books.
func (s *Server) enter(x *paidJob) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.requests[x] = struct{}{}
	return true
}

func (s *Server) leave(x *paidJob) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.requests, x)
}

// end charges what is due and gives the slot back. It is idempotent.
func (x *paidJob) end() {
	if x.meter != nil {
		x.meter.Close()
		x.counted()
	}
	x.slot.Give()
}

// fail is end where a call failed. A job that did not reach its capability's server costs nothing.
func (x *paidJob) fail(err error) {
	if errors.Is(err, errUnreached) || errors.Is(err, errNoCapacity) {
		x.meter.Drop()
	}
	x.end()
}

// cut ends ctx when the job is not paid any more, or the node stops.
func (s *Server) cut(ctx context.Context, x *paidJob) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(s.life, func() { cancel(errStopping) })
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-x.meter.Unpaid():
			cancel(errBalance)
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		stop()
		cancel(context.Canceled)
		<-done
	}
}

// request passes a job on to its capability.
func (s *Server) request(w http.ResponseWriter, r *http.Request) error {
	job, err := s.job(w, r)
	if err != nil {
		return err
	}
	rest := strings.TrimPrefix(r.URL.Path, RequestPath)
	if fetchurl.Climbs(rest) {
		return errPath
	}
	if ofStreams(rest) {
		return errStreamPath
	}
	body, err := s.offeredBody(w, r, job, true)
	if err != nil {
		return err
	}
	defer body.Release()
	x, err := s.take(r, job)
	if err != nil {
		return err
	}
	defer x.end()
	if _, err := details(job); err != nil {
		return err
	}
	if err := s.begin(r, x, body, errBalance); err != nil {
		return err
	}
	if !s.enter(x) {
		x.meter.Drop()
		return errNoCapacity
	}
	defer s.leave(x)
	late, stop := context.WithTimeoutCause(r.Context(), job.Timeout, errLate)
	defer stop()
	ctx, cancel := s.cut(late, x)
	defer cancel()
	header := http.Header{}
	if kind := r.Header.Get("Content-Type"); kind != "" {
		header.Set("Content-Type", kind)
	}
	res, err := s.call(ctx, &x.slot.Capability, rest, header, body.Bytes())
	if err != nil {
		x.fail(err)
		s.setBalance(w, s.balance(x))
		return because(ctx, err)
	}
	defer res.Body.Close()
	return s.relay(ctx, w, r, x, res, body)
}

// ofStreams reports whether a path is one of those that notify a capability of streams. As a request it would
// begin a stream that is not paid by the second, with channels of the gateway's choice, or end one of another gateway.
func ofStreams(path string) bool {
	parts := strings.FieldsFunc(path, func(c rune) bool { return c == '/' || c == '\\' })
	parts = slices.DeleteFunc(parts, func(part string) bool {
		name, _, _ := strings.Cut(part, ";") // servers leave out such a part, after what follows in it
		name = strings.TrimSpace(name)
		return name == "" || name == "."
	})
	return len(parts) > 1 && named(parts[0], "stream") && named(parts[1], "start", "stop", "params")
}

// named reports whether a part of a path may be read as one of some names, with parameters or an ending behind it.
func named(part string, names ...string) bool {
	if i := strings.IndexAny(part, ";.?#%\x00"); i >= 0 {
		part = part[:i]
	}
	part = strings.TrimSpace(part)
	return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(part, name) })
}

// offeredBody reads the body of a job whose capability has a free slot.
func (s *Server) offeredBody(w http.ResponseWriter, r *http.Request, job *byoc.Job, large bool) (Body, error) {
	if _, free, _ := s.registry.Find(job.Capability); free == 0 || s.o.Rules.Draining() {
		w.Header().Set("Connection", "close")
		return nil, errNoCapacity
	}
	return s.body(w, r, job, large)
}

func (s *Server) body(w http.ResponseWriter, r *http.Request, job *byoc.Job, large bool) (Body, error) {
	party, source := s.o.Rules.CapabilityParty(job.Sender, r.RemoteAddr)
	return s.bodies.Request(w, r, large, party, source)
}

// because is why a call failed: what ended ctx, or else err.
func because(ctx context.Context, err error) error {
	if own, ok := errors.AsType[*refusal](context.Cause(ctx)); ok {
		return own
	}
	return err
}

// maxError bounds an error of a capability, in bytes.
const maxError = 64 << 10

// relay answers with the capability's answer.
func (s *Server) relay(ctx context.Context, w http.ResponseWriter, r *http.Request, x *paidJob, res *http.Response,
	request Body) error {
	if res.StatusCode < http.StatusBadRequest && strings.HasPrefix(res.Header.Get("Content-Type"), typeEvents) {
		return s.relayEvents(ctx, w, r, x, res)
	}
	from, length := io.Reader(res.Body), res.ContentLength
	if res.StatusCode >= http.StatusBadRequest {
		from, length = io.LimitReader(from, maxError), -1
	}
	answer, err := s.bodies.Answer(from, length, request)
	refused := false
	if res.StatusCode == http.StatusUnauthorized {
		x.meter.Close() // the check costs the gateway nothing
		refused = s.tokenRefused(&x.slot.Capability)
	}
	// The slot is free, and the charge is over, before the gateway takes its answer.
	x.end()
	s.setBalance(w, s.balance(x))
	if err != nil {
		s.o.Log.Debug("an answer of an external capability cannot be used", "model", x.work.Capability, "err", err)
		return because(ctx, errBroken)
	}
	defer answer.Release()
	if refused {
		s.lost(&x.slot.Capability, errUnauthorized)
		return errToken
	}
	w.Header().Set(headerMetadata, res.Header.Get(headerMetadata))
	if res.StatusCode >= http.StatusBadRequest {
		return &refusal{res.StatusCode, string(answer.Bytes())}
	}
	s.write(w, res.StatusCode, res.Header.Get("Content-Type"), answer.Bytes())
	return nil
}
