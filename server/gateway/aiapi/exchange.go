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

// Sizes of buffers. An idle stream holds a small one, so that a thousand of them
// are a few megabytes; what comes quickly goes through a big one.
const (
	smallBuffer = 1 << 10
	bigBuffer   = 32 << 10
)

// exchange is one request and its answer. It is reused.
type exchange struct {
	f       *Front
	route   *route
	w       http.ResponseWriter
	r       *http.Request
	control *http.ResponseController
	id      string
	began   time.Time
	err     error

	// entered: the request is counted in. held are its bytes in the budget.
	entered bool
	held    int64
	// stranger is the address of a client whose key was not judged yet, "" for others.
	stranger string
	grant    *apikeys.Grant
	// billed is what the gateway pays for the answer, 0 where nothing.
	billed inference.Units
	// limit is how many tokens the answer can have: 0 is not known, keys.NoTokens
	// none.
	limit inference.Tokens
	// release gives back the place in the model's line.
	release func()
	// figures are what is logged and counted at the end.
	figures inference.Figures
	// waited is the time spent waiting for the next hop or the client. sent counts
	// the answer's bytes.
	waited time.Duration
	sent   int64
	// answered: the answer came to its end. cut: the connection is to be cut, so
	// that the client sees that its answer is not whole.
	answered, cut bool
	// written is when the client last took something; see deadline. stalled is how long it
	// took in all to take what it has.
	written time.Time
	stalled time.Duration

	// mid: what was sent of a stream ends within an event.
	mid bool
	// wanted is how many results were asked for. came is how much work came of an answer
	// that is not whole; short says that it came to its end all the same.
	wanted int
	came   inference.Units
	short  bool
	// refused: the answer says that the request was refused, and has nothing else in it.
	refused bool
	// pace holds the answer to what it may take. loan is the orchestrator whose answer the
	// memory that is taken is for, and lent how much that is.
	pace pace
	loan string
	lent int64
	// detached: another exchange goes on with the job and tells of it.
	detached bool

	keep  *keepAlive
	scan  sse.HideUsage
	shape shape
	// named gives the answer's model the name that was asked for.
	named sse.Named
	small [smallBuffer]byte
	// out is what a filter made of what came, renamed what another made of that.
	out, renamed []byte
}

// begin takes up a request. Errors are met by serve.
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

// serve does what the route is for.
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

// local refuses strangers as long as there is no API key: models are work that
// somebody pays for.
func (x *exchange) local() error {
	if _, all := x.f.opt.Keys.(open); all || x.f.opt.Keys.Required() {
		return nil
	}
	err := x.f.opt.Machine(x.r)
	if err == nil || errors.Is(err, fault.GatewayHostRefused) || errors.Is(err, fault.GatewayCrossSite) {
		return err
	}
	return fault.New(fault.KeysNotConfigured, "take request", "this gateway has no API keys yet, so it serves only its own machine")
}

// token is the client's bearer token.
func (x *exchange) token() string { return apikeys.BearerToken(x.r.Header.Get("Authorization")) }

// admit asks whether the key may do what is needed. Errors are faults of the
// Authorizer.
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

// knock refuses a request without a good key before its body is read. One whose key is the
// webhook's to judge is a stranger's until then.
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

// ask has a job answered, and tells a client that waits for a stream that it is
// not forgotten. The answer's body is the caller's to close.
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

// dispatch waits the job's turn and has it answered.
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

// party is who takes turns with others: a key, or without one an address.
func (x *exchange) party() string {
	if x.figures.Key != "" {
		return x.figures.Key
	}
	return x.peer()
}

// client is who causes payments: a key, or without one an address.
func (x *exchange) client() string {
	if x.figures.Key != "" {
		return "key " + x.figures.Key
	}
	network, _ := origin.Client(x.r)
	return "address " + network
}

// peer is the client's address without its port.
func (x *exchange) peer() string {
	host, _, err := net.SplitHostPort(x.r.RemoteAddr)
	if err != nil {
		return x.r.RemoteAddr
	}
	return host
}

// end finishes the exchange, and cuts the connection where the client is to see
// that its answer is not whole.
func (x *exchange) end() {
	if x.finish() {
		panic(http.ErrAbortHandler)
	}
}

// finish answers an error where there is one, settles, counts and logs. x is not
// to be used afterwards.
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

// settle gives back what the request held.
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

// believed is an orchestrator's count of the answer's tokens as far as it can be
// true: not above the request's bound, and without one not above the answer's
// bytes.
func (x *exchange) believed(tokens inference.Tokens) inference.Tokens {
	if x.limit == 0 {
		return min(tokens, inference.Tokens(x.sent))
	}
	return min(tokens, max(x.limit, 0))
}

// fail answers an error: with its status while nothing was sent, as an event in
// a stream, and else by cutting the connection.
func (x *exchange) fail(err error) {
	code := fault.CodeOf(err)
	x.figures.Code = code
	switch {
	case code == fault.Canceled && x.r.Context().Err() != nil:
		// Nobody is there to be told.
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

// reset forgets the request.
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

// itoa is strconv's, for 64 bits.
func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// isLate reports a client that took nothing of its answer.
func isLate(err error) bool {
	var timeout interface{ Timeout() bool }
	return errors.As(err, &timeout) && timeout.Timeout()
}
