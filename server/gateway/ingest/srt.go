package ingest

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"github.com/datarhei/gosrt"
	"golang.org/x/time/rate"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/gateway"
)

// SRTOptions make an SRT. Addr, Ingest and Log must be set.
type SRTOptions struct {
	// Addr is where it listens. AwaitPort: where the address is in use, it waits until that is free.
	Addr      string
	AwaitPort bool
	Ingest    *Ingest
	// Publishers at once, of which a client may have half; default 200.
	Publishers int
	// Listening is called with the address once it listens; may be nil.
	Listening func(addr string)
	Log       *slog.Logger
}

const (
	// srtMaxRate bounds a client's bytes a second, srtBurst those at once.
	srtMaxRate = 100_000_000 / 8
	srtBurst   = 8 << 20
	// srtLook is how often it is looked at what the library keeps of a client.
	srtLook = 200 * time.Millisecond
	// maxPending bounds the clients that are being admitted, of which an address may have freePending.
	freePending, maxPending = 32, 64
)

// SRT takes streams. It is a lifecycle component that drains.
type SRT struct {
	o SRTOptions
	// shares bounds clients, asking those that are being admitted, in all and per address.
	shares, asking *admission.Shares
	// kept is what the library keeps of them; log limits lines about them.
	kept srtBuffers
	log  refusals

	draining chan struct{}
	once     sync.Once
	// served is closed when Run takes no more streams and none is left.
	served chan struct{}
	wg     sync.WaitGroup
}

// NewSRT makes a server. It opens nothing; Run does.
func NewSRT(o SRTOptions) *SRT {
	o.Publishers = cmp.Or(o.Publishers, 200)
	return &SRT{o: o, shares: admission.NewShares(max(1, o.Publishers/2), o.Publishers),
		asking: admission.NewShares(freePending, maxPending), draining: make(chan struct{}),
		served: make(chan struct{})}
}

// Name names the component.
func (s *SRT) Name() string { return "SRT ingest" }

// listen opens the port. It returns nil when ctx ends or the node drains before.
func (s *SRT) listen(ctx context.Context) (srt.Listener, error) {
	c := srt.DefaultConfig()
	c.ReceiverLatency = 200 * time.Millisecond
	c.PeerIdleTimeout = 5 * time.Second
	for {
		l, err := srt.Listen("srt", s.o.Addr, c)
		switch {
		case err == nil:
			return l, nil
		case !s.o.AwaitPort || !errors.Is(err, syscall.EADDRINUSE):
			return nil, &fault.Fault{Code: fault.ListenFailed, Op: "listen for SRT", Detail: s.o.Addr, Err: err}
		}
		late := time.NewTimer(listenAgain)
		select {
		case <-late.C:
		case <-s.draining:
			return nil, nil
		case <-ctx.Done():
			late.Stop()
			return nil, nil
		}
	}
}

// Run serves until ctx ends. It is called once.
func (s *SRT) Run(ctx context.Context, ready func()) error {
	err := s.serveAll(ctx, ready)
	close(s.served)
	if err == nil {
		<-ctx.Done()
	}
	return err
}

// serveAll serves until ctx ends or the node drains, and no stream is left.
func (s *SRT) serveAll(ctx context.Context, ready func()) error {
	if s.o.AwaitPort {
		ready() // it may wait for its port
	}
	l, err := s.listen(ctx)
	if err != nil {
		return err
	}
	if !s.o.AwaitPort {
		ready()
	}
	if l == nil {
		return nil
	}
	s.o.Log.Info("SRT ingest serves encoders", "addr", l.Addr().String())
	if s.o.Listening != nil {
		s.o.Listening(l.Addr().String())
	}
	var accepting sync.WaitGroup
	failed := make(chan error, 1)
	accepting.Go(func() { failed <- s.accept(ctx, l) })
	select {
	case err = <-failed:
	case <-s.draining:
	case <-ctx.Done():
	}
	l.Close()
	accepting.Wait()
	s.wg.Wait()
	return err
}

// Drain ends all streams, whose encoders connect again elsewhere, and waits until what they sent is served, or ctx
// ends. Run must have been called.
func (s *SRT) Drain(ctx context.Context) error {
	s.once.Do(func() { close(s.draining) })
	select {
	case <-s.served:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// accept takes connections until the listener is closed.
func (s *SRT) accept(ctx context.Context, l srt.Listener) error {
	for {
		req, err := nextRequest(l)
		if errors.Is(err, srt.ErrListenerClosed) {
			return nil
		} else if err != nil {
			return fault.Wrap(fault.ListenFailed, "take SRT connections", err)
		}
		if req == nil {
			continue
		}
		select {
		case <-s.draining:
			req.Reject(srt.REJ_CLOSE)
			return nil
		default:
		}
		from := admission.NetworkOf(req.RemoteAddr().String())
		if !s.asking.Enter(from) {
			req.Reject(srt.REJX_OVERLOAD)
			continue
		}
		s.wg.Go(func() { s.serve(ctx, req, from) })
	}
}

// nextRequest waits for a client. What a client sends ends no more than its own request.
func nextRequest(l srt.Listener) (req srt.ConnRequest, err error) {
	defer func() {
		if recover() != nil {
			req, err = nil, nil
		}
	}()
	return l.Accept2()
}

// serve serves a client until its end.
func (s *SRT) serve(ctx context.Context, req srt.ConnRequest, from netip.Prefix) {
	if !s.shares.Enter(from) {
		s.asking.Leave(from)
		req.Reject(srt.REJX_OVERLOAD)
		return
	}
	defer s.shares.Leave(from)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	st, conn, err := s.admit(ctx, req)
	s.asking.Leave(from)
	if err != nil {
		s.refused(from, err)
		return
	}
	defer st.Close()
	hang := context.AfterFunc(st.Context(), func() { _ = conn.Close() }) // it ends a read
	defer hang()
	over := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { s.watch(conn, cancel, over) })
	paced := &pacedConn{r: conn, ctx: ctx, rate: rate.NewLimiter(srtMaxRate, srtBurst)}
	err = readTS(bufio.NewReaderSize(paced, 64<<10), st)
	close(over)
	_ = conn.Close() // it is over
	wg.Wait()
	if st.Context().Err() != nil {
		err = context.Cause(st.Context())
	}
	if err != nil && ctx.Err() == nil {
		s.refused(from, err)
	}
}

// refused reports why a client was refused or its stream ended, with a rate limit: strangers can cause it.
func (s *SRT) refused(from netip.Prefix, err error) {
	if more, ok := s.log.Allow(time.Now()); ok {
		s.o.Log.Info("an SRT client is refused or ends", "from", from.String(), "more", more, fault.Attr(err))
	}
}

// admit admits a client, or rejects it.
func (s *SRT) admit(ctx context.Context, req srt.ConnRequest) (*stream, srt.Conn, error) {
	if err := checkSRTHandshake(req); err != nil {
		req.Reject(srt.REJ_ROGUE)
		return nil, nil, err
	}
	a, err := ParseStreamID(req.StreamId())
	if err != nil {
		req.Reject(srt.REJX_BAD_REQUEST)
		return nil, nil, err
	}
	if req.IsEncrypted() {
		req.Reject(srt.REJ_UNSECURE)
		return nil, nil, fault.New(fault.PublishProtocol, "take connection",
			"the client encrypts with a passphrase, and there is none here")
	}
	st, err := s.o.Ingest.Publish(ctx, gateway.Publisher{Protocol: "srt", Addr: req.RemoteAddr().String()}, a)
	if err != nil {
		req.Reject(srt.REJX_FORBIDDEN)
		return nil, nil, err
	}
	conn, err := req.Accept()
	if err != nil {
		st.Close()
		return nil, nil, fault.Wrap(fault.PublishProtocol, "take connection", err)
	}
	return st, conn, nil
}

// watch ends a client that makes the library keep or do too much, and one that is still there when the node drains.
func (s *SRT) watch(conn srt.Conn, end context.CancelCauseFunc, over <-chan struct{}) {
	tick := time.NewTicker(srtLook)
	defer tick.Stop()
	defer s.kept.set(conn, 0)
	var answers srtAnswers
	var work srtWork
	for {
		select {
		case <-tick.C:
			var now srt.Statistics
			conn.Stats(&now)
			if s.kept.set(conn, now.Instantaneous.PktRecvBuf) {
				end(fault.New(fault.PublishProtocol, "read", "too much waits for its time"))
			}
			if answers.missing(&now) {
				end(fault.New(fault.PublishProtocol, "read", "the client does not answer to acknowledgments"))
			}
			if work.tooMuch(&now) {
				end(fault.New(fault.PublishProtocol, "read", "too many packets come late, or again"))
			}
		case <-s.draining:
			end(fault.New(fault.Draining, "publish", ""))
			return
		case <-over:
			return
		}
	}
}

// pacedConn reads as fast as a client may send.
type pacedConn struct {
	r    io.Reader
	ctx  context.Context
	rate *rate.Limiter
}

// Read reads.
func (p *pacedConn) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	if n > 0 {
		if late := p.rate.WaitN(p.ctx, n); late != nil {
			return 0, late
		}
	}
	return n, err
}
