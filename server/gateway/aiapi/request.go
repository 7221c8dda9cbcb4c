package aiapi

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/sse"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/origin"
	"github.com/tuttinode/tutti/server/status"
)

// Sizes of buffers. An idle stream holds a small buffer, so that a thousand idle streams take a few
// megabytes; a fast stream borrows a big one.
const (
	smallBuffer = 1 << 10
	bigBuffer   = 32 << 10
)

// relayedRequest is one client request and its answer. Instances are pooled.
type exchange struct {
	f       *Front
	route   *route
	w       http.ResponseWriter
	r       *http.Request
	control *http.ResponseController
	id      string
	began   time.Time
	err     error

	// entered: the request counts as in flight. held is its share of the memory budget, in bytes.
	entered bool
	held    int64
	// unverified is the client's address while its key is not checked yet, else "".
	stranger string
	grant    *apikeys.Grant
	// billed is what the gateway pays for the answer, 0 for nothing.
	billed inference.Units
	// limit is the maximum number of tokens of the answer: 0 is unknown, apikeys.NoTokens is none.
	limit inference.Tokens
	// release gives the slot of the model's queue back.
	release func()
	// stats are logged and counted at the end.
	figures inference.Figures
	// waited is the time spent waiting for the next hop or the client. sent counts the answer's
	// bytes.
	waited time.Duration
	sent   int64
	// complete: the answer reached its end. abort: the connection must be closed without a proper
	// end, so that the client notices the missing part.
	answered, cut bool
	// lastWrite is when the client last accepted data; see deadline. clientStall is the total time
	// that writes to it were blocked.
	written time.Time
	stalled time.Duration

	// midEvent: the part of the stream that was sent ends within an event.
	mid bool
	// resultsAsked is the number of results requested. unitsDelivered is the work delivered by an
	// answer that is not whole. partial: the answer has fewer results than requested, and ended
	// properly.
	wanted int
	came   inference.Units
	short  bool
	// refused: the answer only says that the request was refused.
	refused bool
	// limits bounds the answer's time and size. answerFrom is the orchestrator whose unfinished
	// answer the memory is taken for, answerBytes the amount.
	pace pace
	loan string
	lent int64
	// detached: a background request continues the job and reports it.
	detached bool

	keep  *keepAlive
	scan  sse.HideUsage
	shape shape
	// renamer puts the requested model name into the answer.
	named sse.Named
	small [smallBuffer]byte
	// filtered and renamed hold the output of the two filters.
	out, renamed []byte
}

// newRequest starts a request. serve reports errors.
func (f *Front) begin(w http.ResponseWriter, r *http.Request, rt *route) *exchange {
	x, _ := f.exchanges.Get().(*exchange)
	if x == nil {
		x = new(exchange)
		x.keep = &keepAlive{x: x}
	}
	x.f, x.route, x.w, x.r = f, rt, w, r
	x.control = http.NewResponseController(w)
	x.began = time.Now()
	x.id = f.requestID(r.Header.Get(requestIDHeader))
	x.figures = inference.Figures{
		Model: inference.Model{Capability: rt.capability}, Operation: rt.operation, RequestID: x.id,
	}
	w.Header()[requestIDHeader] = []string{x.id}
	return x
}

// serve runs the route's handler.
func (x *exchange) serve() error {
	if err := x.f.enter(); err != nil {
		return err
	}
	x.entered = true
	switch m := x.route.method; {
	case m == "", m == x.r.Method, m == http.MethodGet && x.r.Method == http.MethodHead:
	default:
		x.w.Header().Set("Allow", m)
		return fault.New(fault.MethodNotAllowed, "take request", "this address takes "+m)
	}
	if err := x.local(); err != nil {
		return err
	}
	return x.route.serve(x)
}

// checkLocal refuses clients of other machines while there is no API key: model work is paid by
// this gateway's operator.
func (x *exchange) local() error {
	if _, all := x.f.opt.Keys.(open); all || x.f.opt.Keys.Required() {
		return nil
	}
	err := x.f.opt.Machine(x.r)
	if err == nil || errors.Is(err, fault.GatewayHostRefused) || errors.Is(err, fault.GatewayCrossSite) {
		return err
	}
	return fault.New(fault.KeysNotConfigured, "take request",
		"this gateway has no API keys yet, so it serves only its own machine")
}

// token is the client's bearer token.
func (x *exchange) token() string { return apikeys.BearerToken(x.r.Header.Get("Authorization")) }

// admit checks whether the key allows what is needed. Errors are faults of the Authorizer.
func (x *exchange) admit(ctx context.Context, need apikeys.Need) error {
	need.Route = x.route.path
	need.From, _ = origin.Client(x.r)
	if need.MostPrompt == 0 {
		need.MostPrompt = inference.Tokens(x.held) + otherMargin
	}
	x.limit = need.MaxTokens
	began := time.Now()
	grant, err := x.f.opt.Keys.Admit(ctx, x.token(), need)
	if took := time.Since(began); took > quick {
		x.waited += took // for an operator's webhook
	}
	if err != nil {
		return err
	}
	x.grant = grant
	x.figures.Key = grant.Key()
	x.f.bodies.prove(x.stranger, x.held)
	x.stranger = ""
	return nil
}

// checkKey refuses a request without a valid key before its body is read. A key that only the
// webhook can check leaves the request unverified until admit.
func (x *exchange) knock() error {
	token := x.token()
	if err := x.f.opt.Keys.Known(token); err != nil {
		return err
	}
	if !x.f.opt.Keys.Proven(token) {
		x.stranger, _ = origin.Client(x.r)
	}
	return nil
}

// submit has a job answered, and sends keep-alive comments to a client that waits for a stream. The
// caller closes the answer's body.
func (x *exchange) ask(ctx context.Context, job *inference.Job, hint broker.Hint) (*broker.Answer, error) {
	began := time.Now()
	if job.Stream {
		x.keep.start()
	}
	answer, err := x.dispatch(ctx, job, hint)
	x.keep.stop()
	x.waited += time.Since(began)
	return answer, err
}

// dispatch waits for the job's turn in the model's queue and has it answered.
func (x *exchange) dispatch(ctx context.Context, job *inference.Job, hint broker.Hint) (*broker.Answer, error) {
	began := time.Now() // x.waited is left alone: the keep-alive's goroutine runs
	release, err := x.f.lines.acquire(ctx, x.f.opt.Limits.Wait, job.Model, x.party())
	x.figures.Queue = time.Since(began)
	if err != nil {
		return nil, err
	}
	x.release = release
	hint.Party = x.figures.Key
	asked := *job
	asked.Client = x.client()
	answer, err := x.f.opt.Dispatcher.Do(ctx, &asked, hint)
	if err != nil {
		x.billed = broker.Billed(err)
		return nil, err
	}
	x.figures.Orchestrator, x.figures.Tries = answer.Orchestrator, answer.Tries
	x.figures.Queue += answer.Queue
	x.figures.Price = answer.Price
	return answer, nil
}

// fairnessKey identifies the client in the fair queues: its key, or without one its address.
func (x *exchange) party() string {
	if x.figures.Key != "" {
		return x.figures.Key
	}
	return x.peer()
}

// payer identifies the client in payment limits: its key, or without one its network.
func (x *exchange) client() string {
	if x.figures.Key != "" {
		return "key " + x.figures.Key
	}
	network, _ := origin.Client(x.r)
	return "address " + network
}

// clientIP is the client's address without its port.
func (x *exchange) peer() string {
	host, _, err := net.SplitHostPort(x.r.RemoteAddr)
	if err != nil {
		return x.r.RemoteAddr
	}
	return host
}

// end finishes the request. It aborts the connection when the client must see that its answer is
// not whole.
func (x *exchange) end() {
	if x.finish() {
		panic(http.ErrAbortHandler)
	}
}

// finish reports an error to the client, settles, counts and logs. x must not be used afterwards.
func (x *exchange) finish() (cut bool) {
	x.keep.stop() // where serve panicked it still runs
	if gone := x.r.Context().Err() != nil; gone && x.err != nil && !errors.Is(x.err, fault.AnswerNotTaken) {
		x.err = fault.Wrap(fault.Canceled, "answer", x.err)
	}
	if x.err != nil {
		x.fail(x.err)
	}
	x.settle()
	x.report()
	cut = x.cut
	f := x.f
	if x.entered {
		f.leave()
	}
	if x.keep.reusable() {
		x.reset()
		f.exchanges.Put(x)
	}
	return cut
}

// settle releases what the request held and settles its key.
func (x *exchange) settle() {
	if x.release != nil {
		x.release()
	}
	x.f.bodies.prove(x.stranger, x.held)
	x.f.bodies.give(x.held)
	u := x.figures.Usage
	u.Completion = x.believed(u.Completion)
	_ = x.grant.Reach(u.Completion) // it is too late to end the answer
	x.grant.Bill(x.billed)
	x.grant.Settle(u, x.answered)
}

// plausible bounds an orchestrator's token count: by the request's limit, and without one by the
// answer's bytes.
func (x *exchange) believed(tokens inference.Tokens) inference.Tokens {
	if x.limit == 0 {
		return min(tokens, inference.Tokens(x.sent))
	}
	return min(tokens, max(x.limit, 0))
}

// fail reports an error: as a status while nothing was sent, as an event in a stream, and otherwise
// by aborting the connection.
func (x *exchange) fail(err error) {
	code := fault.CodeOf(err)
	x.figures.Code = code
	switch {
	case code == fault.Canceled && x.r.Context().Err() != nil:
		// The client has disconnected.
		if x.figures.Status == 0 {
			x.figures.Status = status.HTTP(err)
		}
	case x.keep.committed:
		x.sendError(err)
	case x.figures.Status != 0:
		x.cut = true
	default:
		x.refuse(err)
	}
}

// reset clears the request for the pool, and keeps its buffers.
func (x *exchange) reset() {
	keep, out, renamed := x.keep, x.out, x.renamed
	keep.committed = false
	*x = exchange{keep: keep, out: out[:0], renamed: renamed[:0]}
	if cap(x.out) > bigBuffer {
		x.out = nil
	}
	if cap(x.renamed) > bigBuffer {
		x.renamed = nil
	}
}

// itoa formats 64 bits.
func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// isTimeout reports whether a write failed because the client read nothing in time.
func isLate(err error) bool {
	var timeout interface{ Timeout() bool }
	return errors.As(err, &timeout) && timeout.Timeout()
}
