package live

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/pion/webrtc/v4"

	"github.com/tuttinode/tutti/core/fault"
)

// Plan is a stream that begins before it has a publisher, and whose orchestrators its owner finds: one of BYOC. Its
// orchestrators may leave out channels in their answers, and need send no events.
type Plan struct {
	// Name is what viewers watch it by, ID what the log calls it. Host is what its client calls the gateway.
	Name, ID, Host string
	// Outputs are RTMP addresses that get the result; see ReadOutputs.
	Outputs []string
	Network Network
	// Start bounds the request that begins it at an orchestrator, Search the choice among all.
	Start, Search time.Duration
}

// Wishes are what a planned stream is to be. Fields may be empty.
type Wishes struct {
	ID      string
	Outputs []string
	// Params are the pipeline's, a JSON object.
	Params json.RawMessage
}

// AdmitPlan asks the operator's service about a client's planned stream, if there is one; what the service names
// counts before the client's wishes. under begins the paths of the stream's status and updates. Errors are those of
// Publish.
func (s *Server) AdmitPlan(ctx context.Context, p *Publisher, under string, wishes *Wishes) error {
	if s.o.Webhook == nil {
		return nil
	}
	under += url.PathEscape(p.Name)
	v, err := s.consult(ctx, p, &question{Stream: p.Name, StatusURL: under + "/status", UpdateURL: under + "/update"})
	if err != nil {
		return err
	}
	if v.StreamID != "" {
		wishes.ID = v.StreamID
	}
	if v.Outputs != "" {
		wishes.Outputs, _ = s.ReadOutputs(v.Outputs) // checked with the answer
	}
	if v.Params != nil {
		wishes.Params = v.Params
	}
	return nil
}

// ReadOutputs reads a list of RTMP addresses; false if it cannot be used, or results are sent nowhere.
func (s *Server) ReadOutputs(list string) ([]string, bool) {
	all := outputURLs(url.Values{"rtmpOutput": {list}})
	return all, validOutputs(all) && (len(all) == 0 || s.o.Restream != nil)
}

// plan is a Plan that is carried out. Its methods take nil, for streams that have none.
type plan struct {
	Plan
	ctx  context.Context // ends with the stream
	once sync.Once
	// ready is closed when the first orchestrator has the stream.
	ready chan struct{}

	mu sync.Mutex
	// began is when the first publisher's media began, publisher the present one.
	began     time.Time
	publisher *publisher
}

// publisher is a connection that feeds a planned stream. ctx ends with it, by stop at the latest with the stream.
type publisher struct {
	ctx  context.Context
	stop context.CancelCauseFunc
	done chan struct{}
	// last is the one whose place it takes, nil for the first.
	last *publisher
}

func (p *plan) begun() {
	if p != nil {
		p.once.Do(func() { close(p.ready) })
	}
}

// network is where a stream's orchestrators are found, and how long they are looked for.
func (p *plan) network(o *Options) (Network, time.Duration) {
	if p != nil {
		return p.Network, p.Search
	}
	return o.Network, o.Limits.Try
}

func (p *plan) startWithin() time.Duration {
	if p != nil {
		return p.Start
	}
	return startWithin
}

// mediaBegan is when the media of a stream began: time stamps go on with its next publisher.
func (p *plan) mediaBegan(now time.Time) time.Time {
	if p == nil {
		return now
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.began.IsZero() {
		p.began = now
	}
	return p.began
}

// Handle is a stream that Begin began.
type Handle struct{ s *stream }

// requestBytes are those of a planned stream's number: its viewers need no more than its address.
const requestBytes = 16

// Begin begins a stream, which runs until Stop, or until no orchestrator takes it. The error is a fault.
func (s *Server) Begin(p Plan) (*Handle, error) {
	st, err := s.newStream(identity{name: "plan", claims: true}, p.Name, p.Host, requestBytes, nil)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancelCause(s.ctx)
	st.id, st.stop, st.outputs = p.ID, stop, p.Outputs
	st.plan = &plan{Plan: p, ctx: ctx, ready: make(chan struct{})}
	if err := s.add(st); err != nil {
		stop(nil)
		return nil, err
	}
	s.start(ctx, st, func() {}, func() {})
	return &Handle{st}, nil
}

// Ready waits until an orchestrator has the stream. The error is why none has it.
func (h *Handle) Ready(ctx context.Context) error {
	select {
	case <-h.s.plan.ready:
		return nil
	case <-h.s.done:
		return errors.Join(errNoOrchestrator, h.Failure())
	case <-ctx.Done():
		return fault.Wrap(fault.Canceled, "begin a stream", ctx.Err())
	}
}

// Stop ends the stream for a reason; nil is that its client wants it so. Done is closed when it has ended.
func (h *Handle) Stop(why error) { h.s.stop(why) }

// Done is closed when the stream has ended.
func (h *Handle) Done() <-chan struct{} { return h.s.done }

// PlayURL is where viewers find the output; "" where there is no media.
func (h *Handle) PlayURL() string {
	if h.s.srv.rtc == nil {
		return ""
	}
	return h.s.playURL
}

// Media reports whether clients can publish and watch here.
func (s *Server) Media() bool { return s.rtc != nil }

// LastPicture is when the last picture was published; zero before.
func (h *Handle) LastPicture() time.Time {
	at, _, _ := h.s.seg.Last()
	return at
}

// Status is the last status that an orchestrator sent; it may be nil.
func (h *Handle) Status() map[string]any {
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	return maps.Clone(h.s.status)
}

// Failure is the last error, nil without one.
func (h *Handle) Failure() error {
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	return h.s.failure.err
}

// CORS answers what browsers ask before they call from another site. It reports whether the request goes on.
func (s *Server) CORS(w http.ResponseWriter, r *http.Request) bool { return s.cors(w, r) }

// ServeWHIP takes a publisher's offer. The publisher takes the place of the one before it; its end does not end the
// stream. The caller has called CORS, and decided that the client may publish.
func (h *Handle) ServeWHIP(w http.ResponseWriter, r *http.Request) {
	st, s := h.s, h.s.srv
	switch {
	case s.rtc == nil:
		refuse(w, fault.New(fault.RouteNotFound, "publish", "this gateway takes no media: set -liveMediaAddr"))
		return
	case st.over():
		http.Error(w, textNoStream, http.StatusNotFound)
		return
	}
	offer, ok := readOffer(w, r)
	if !ok {
		return
	}
	resource, err := s.random(8)
	if err != nil {
		refuse(w, err)
		return
	}
	in, text, err := s.accept(offer)
	if err != nil {
		refuseOffer(w, err)
		return
	}
	st.feed(in)
	answerWHIP(w, r, st, resource, text)
}

// feed feeds a planned stream from a WebRTC connection until it ends.
func (s *stream) feed(in *input) {
	next := s.nextPublisher()
	in.pc.OnConnectionStateChange(func(c webrtc.PeerConnectionState) {
		if c == webrtc.PeerConnectionStateFailed || c == webrtc.PeerConnectionStateClosed {
			next.stop(errPublisherGone)
		}
	})
	s.follow(next, func() { s.ingest(next.ctx, in, next.stop) }, func() {
		_ = in.pc.Close() // it is over
	})
}

// nextPublisher makes the publisher that takes the place of the present one.
func (s *stream) nextPublisher() *publisher {
	next := &publisher{done: make(chan struct{})}
	next.ctx, next.stop = context.WithCancelCause(s.plan.ctx)
	s.plan.mu.Lock()
	defer s.plan.mu.Unlock()
	next.last, s.plan.publisher = s.plan.publisher, next
	return next
}

// follow has a publisher read after the one before it has ended. end ends its connection.
func (s *stream) follow(next *publisher, read, end func()) {
	work := func() {
		defer close(next.done)
		if last := next.last; last != nil {
			last.stop(errReplaced)
			<-last.done
			next.last = nil // and those before it
		}
		done := make(chan struct{})
		go func() { defer close(done); read() }()
		<-next.ctx.Done()
		end()
		<-done
	}
	if !s.srv.background(work) {
		next.stop(errStopping)
		end()
		close(next.done)
	}
}
