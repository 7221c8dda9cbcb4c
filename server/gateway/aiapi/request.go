package aiapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/access"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/status"
)

// Sizes of buffers. An idle stream holds a small buffer, so that a thousand idle streams take a few
// megabytes; a fast stream borrows a big one.
const (
	smallBuffer = 1 << 10
	bigBuffer   = 32 << 10
)

// relayedRequest is one client request and its answer. Instances are pooled.
type relayedRequest struct {
	server *Server
	route  *route
	requestConn
	err error
	requestAccount
	relayProgress
	requestTarget
	answerMemory
	answerFilters
}

// newRequest starts a request. serve reports errors.
func (s *Server) newRequest(w http.ResponseWriter, r *http.Request, rt *route) *relayedRequest {
	x, _ := s.requests.Get().(*relayedRequest)
	if x == nil {
		x = new(relayedRequest)
		x.keepAlive = &keepAlive{request: x}
	}
	x.server, x.route, x.w, x.r = s, rt, w, r
	x.control = http.NewResponseController(w)
	x.began, x.guards = time.Now(), s.opt.Guards.Use()
	x.id = s.requestID(r.Header.Get(rpc.RequestIDHeader))
	x.stats = inference.JobStats{
		Model: inference.Model{Capability: rt.capability}, Operation: rt.operation, RequestID: x.id,
	}
	w.Header()[rpc.RequestIDHeader] = []string{x.id}
	x.beginSpan()
	return x
}

// serve runs the route's handler.
func (x *relayedRequest) serve() error {
	if err := x.server.enter(); err != nil {
		return err
	}
	x.entered = true
	switch m := x.route.method; {
	case m == "", m == x.r.Method, m == http.MethodGet && x.r.Method == http.MethodHead:
	default:
		x.w.Header().Set("Allow", m)
		return fault.New(fault.MethodNotAllowed, "take request", "this address takes "+m)
	}
	if err := admission.CheckEncoding(x.r.Header.Get("Content-Encoding")); err != nil {
		return err
	}
	if err := x.checkLocal(); err != nil {
		return err
	}
	if err := x.limitTime(); err != nil {
		return err
	}
	return x.route.serve(x)
}

// checkLocal refuses clients of other machines while there is no API key: model work is paid by
// this gateway's operator.
func (x *relayedRequest) checkLocal() error {
	if _, all := x.server.opt.Keys.(openAccess); all || x.server.opt.Keys.Required() {
		return nil
	}
	err := x.server.opt.CheckLocal(x.r)
	if err == nil || errors.Is(err, fault.GatewayHostRefused) || errors.Is(err, fault.GatewayCrossSite) {
		return err
	}
	return fault.New(fault.KeysNotConfigured, "take request",
		"this gateway has no API keys yet, so it serves only its own machine")
}

// token returns the client's bearer token.
func (x *relayedRequest) token() string { return apikeys.BearerToken(x.r.Header.Get("Authorization")) }

// admit checks whether the key allows what is needed. Errors are faults of the Authorizer.
func (x *relayedRequest) admit(ctx context.Context, need apikeys.Need) error {
	need.Route = x.route.path
	need.From, _ = access.Client(x.r)
	if need.MaxPrompt == 0 {
		need.MaxPrompt = inference.Tokens(x.held) + otherMargin
	}
	x.limit, x.maxPrompt = need.MaxTokens, need.MaxPrompt
	began := time.Now()
	grant, err := x.server.opt.Keys.Admit(ctx, x.token(), need)
	if took := time.Since(began); took > instantWrite {
		x.waited += took // for an operator's webhook
	}
	if err != nil {
		return err
	}
	x.grant = grant
	x.stats.Key = grant.Key()
	if x.unverified != "" {
		x.server.bodies.verified(x.unverified, x.held)
		x.unverified, x.key = "", apikeys.HashOf(x.token())
		_ = x.server.shares.take(x.key, x.held, false) // it is here already
	}
	return nil
}

// checkKey refuses a request without a valid key before its body is read. A key that only the
// webhook can check leaves the request unverified until admit.
func (x *relayedRequest) checkKey() error {
	token := x.token()
	if err := x.server.opt.Keys.Known(token); err != nil {
		return err
	}
	switch {
	case !x.server.opt.Keys.Verified(token):
		x.unverified, _ = access.Client(x.r)
	case x.server.opt.Keys.Required():
		x.key = apikeys.HashOf(token)
	}
	return nil
}

// submit has a job answered, and sends keep-alive comments to a client that waits for a stream. The
// caller closes the answer's body.
func (x *relayedRequest) submit(ctx context.Context, job *inference.Job, hint broker.Hint) (*broker.Answer, error) {
	began := time.Now()
	if job.Stream {
		x.keepAlive.start()
	}
	answer, err := x.dispatch(ctx, job, hint)
	x.keepAlive.stop()
	x.waited += time.Since(began)
	return answer, err
}

// dispatch waits for the job's turn in the model's queue and has it answered.
func (x *relayedRequest) dispatch(ctx context.Context, job *inference.Job, hint broker.Hint) (*broker.Answer, error) {
	began := time.Now() // x.waited is left alone: the keep-alive's goroutine runs
	waiting, admitted := backgroundOf(ctx).waiting(ctx)
	release, err := x.server.queues.acquire(waiting, x.server.opt.Limits.Wait, job.Model, x.client())
	admitted()
	x.stats.Queue = time.Since(began)
	if err != nil {
		return nil, err
	}
	x.release = release
	hint.KeyName = x.stats.Key
	asked := *job
	asked.Client = x.client()
	if x.cost.bill == nil { // one for all models that are asked
		x.cost.bill = apikeys.NewBill(x.grant)
	}
	answer, err := x.server.opt.Dispatcher.Do(inference.WithFunds(ctx, x.cost.bill), &asked, hint)
	if err != nil {
		x.cost.billed += broker.Billed(err)
		return nil, backgroundOf(ctx).explain(err, hint.Preferences)
	}
	x.stats.Orchestrator, x.stats.Tries = answer.Orchestrator, answer.Tries
	x.stats.Hedged = answer.Hedged
	x.stats.Queue += answer.Queue
	x.stats.Price = answer.Price
	return answer, nil
}

// client identifies the client in fair queues and in payment limits: its key, or without one its network. A service may
// give many keys one name, so a key is known by its ID.
func (x *relayedRequest) client() string {
	if id := x.grant.ID(); id != "" {
		return "key " + id
	}
	network, _ := access.Client(x.r)
	return "address " + network
}

// end finishes the request. It aborts the connection when the client must see that its answer is
// not whole.
func (x *relayedRequest) end() {
	if x.finish() {
		panic(http.ErrAbortHandler)
	}
}

// finish reports an error to the client, settles, counts and logs. x must not be used afterwards.
func (x *relayedRequest) finish() (cut bool) {
	x.keepAlive.stop() // where serve panicked it still runs
	if gone := x.r.Context().Err() != nil; gone && x.err != nil && !errors.Is(x.err, fault.AnswerNotTaken) {
		if late := x.timedOut(); late != nil {
			x.err = late
		} else {
			x.err = fault.Wrap(fault.Canceled, "answer", x.err)
		}
	}
	if x.err != nil {
		x.fail(x.err)
	}
	x.keepAnswer()
	x.settle()
	x.report()
	cut = x.abort
	x.times.end()
	x.guards.Done()
	f := x.server
	if x.entered {
		f.leave()
	}
	if x.keepAlive.reusable() {
		x.reset()
		f.requests.Put(x)
	}
	return cut
}

// settle releases what the request held and settles its key.
func (x *relayedRequest) settle() {
	if x.release != nil {
		x.release()
	}
	x.long.Close()
	x.server.bodies.verified(x.unverified, x.held)
	x.server.bodies.release(x.held)
	x.server.shares.release(x.key, x.held)
	u := &x.stats.Usage // an orchestrator's claim so far
	u.Prompt, u.Completion = min(u.Prompt, x.maxPrompt), x.plausible(u.Completion)
	u.Cached = min(u.Cached, u.Prompt)
	_ = x.grant.Reach(u.Completion) // it is too late to end the answer
	x.grant.SetBilled(x.cost.billed)
	x.grant.Settle(*u, x.complete)
	x.recordSpend(*u)
}

// plausible bounds an orchestrator's token count: by the request's limit, and without one by the
// answer's bytes.
func (x *relayedRequest) plausible(tokens inference.Tokens) inference.Tokens {
	if x.limit == 0 {
		return min(tokens, inference.Tokens(x.sent))
	}
	return min(tokens, max(x.limit, 0))
}

// fail reports an error: as a status while nothing was sent, as an event in a stream, and otherwise
// by aborting the connection.
func (x *relayedRequest) fail(err error) {
	code := fault.CodeOf(err)
	x.stats.Code = code
	switch {
	case code == fault.Canceled && x.r.Context().Err() != nil:
		// The client has disconnected.
		if x.stats.Status == 0 {
			x.stats.Status = status.HTTP(err)
		}
	case x.keepAlive.committed:
		x.sendError(err)
	case x.stats.Status != 0:
		x.abort = true
	default:
		x.refuse(err)
	}
}

// reset clears the request for the pool, and keeps its buffers.
func (x *relayedRequest) reset() {
	keep, out, renamed := x.keepAlive, x.filtered, x.renamed
	keep.committed = false
	*x = relayedRequest{answerFilters: answerFilters{keepAlive: keep, filtered: out[:0], renamed: renamed[:0]}}
	if cap(x.filtered) > bigBuffer {
		x.filtered = nil
	}
	if cap(x.renamed) > bigBuffer {
		x.renamed = nil
	}
}

// itoa formats 64 bits.
func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// isTimeout reports whether a write failed because the client read nothing in time.
func isTimeout(err error) bool {
	var timeout interface{ Timeout() bool }
	return errors.As(err, &timeout) && timeout.Timeout()
}
