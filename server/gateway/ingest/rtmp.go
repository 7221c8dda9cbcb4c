package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admission"
)

// RTMPOptions make an RTMP. Addr or Listener, Ingest and Log must be set.
type RTMPOptions struct {
	// Addr is where it listens; Listener goes before it. AwaitPort: where the address is in use, it waits until that
	// is free, and does not fail.
	Addr      string
	Listener  net.Listener
	AwaitPort bool
	Ingest    *Ingest
	Limits    RTMPLimits
	Log       *slog.Logger
}

// RTMPLimits bound clients. A zero field is its default.
type RTMPLimits struct {
	// Publishers at once; a client has a part of them at most. Default 200.
	Publishers int
	// Begin is how long a client may take to say what it publishes; default 10 s.
	Begin time.Duration
	// Idle is how long it may send nothing; default 15 s.
	Idle time.Duration
	// Rate is how many bytes a second are taken of a client; default 12.5 MB.
	Rate int
}

func (l RTMPLimits) complete() RTMPLimits {
	l.Publishers = cmp.Or(l.Publishers, 200)
	l.Begin = cmp.Or(l.Begin, 10*time.Second)
	l.Idle = cmp.Or(l.Idle, 15*time.Second)
	l.Rate = cmp.Or(l.Rate, 100_000_000/8)
	return l
}

// RTMP takes streams. It is a lifecycle component that drains.
type RTMP struct {
	o RTMPOptions
	// shares bounds connections, in all and per client.
	shares *admission.Shares
	// log limits lines about clients.
	log refusals

	// draining is closed when no more streams are taken.
	draining chan struct{}
	once     sync.Once
	// served is closed when Run takes no more streams and none is left.
	served chan struct{}
	wg     sync.WaitGroup

	mu    sync.Mutex
	conns map[net.Conn]context.CancelCauseFunc
}

// NewRTMP makes a server. It opens nothing; Run does.
func NewRTMP(o RTMPOptions) *RTMP {
	o.Limits = o.Limits.complete()
	return &RTMP{o: o, shares: admission.NewShares(o.Limits.Publishers/2, o.Limits.Publishers),
		draining: make(chan struct{}), served: make(chan struct{}), conns: make(map[net.Conn]context.CancelCauseFunc)}
}

// Name names the component.
func (s *RTMP) Name() string { return "RTMP ingest" }

// listenAgain is how often an address is tried that is in use.
const listenAgain = 2 * time.Second

// listen opens the port. It returns nil when ctx ends or the node drains before.
func (s *RTMP) listen(ctx context.Context) (net.Listener, error) {
	if s.o.Listener != nil {
		return s.o.Listener, nil
	}
	reported := false
	for {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", s.o.Addr)
		switch {
		case err == nil || ctx.Err() != nil:
			return l, nil
		case !s.o.AwaitPort || !errors.Is(err, syscall.EADDRINUSE):
			return nil, &fault.Fault{Code: fault.ListenFailed, Op: "listen for RTMP", Detail: s.o.Addr, Err: err}
		case !reported:
			reported = true
			s.o.Log.Info("the port of RTMP is in use; RTMP begins when it is free, or where -rtmpAddr says",
				"addr", s.o.Addr)
		}
		if !s.wait(ctx, listenAgain) {
			return nil, nil
		}
	}
}

// wait reports whether neither ctx ended nor the node drains for a time.
func (s *RTMP) wait(ctx context.Context, d time.Duration) bool {
	late := time.NewTimer(d)
	defer late.Stop()
	select {
	case <-late.C:
		return true
	case <-s.draining:
	case <-ctx.Done():
	}
	return false
}

// Run serves until ctx ends. It is called once.
func (s *RTMP) Run(ctx context.Context, ready func()) error {
	err := s.serveAll(ctx, ready)
	close(s.served)
	if err == nil {
		<-ctx.Done()
	}
	return err
}

// serveAll serves until ctx ends or the node drains, and no stream is left.
func (s *RTMP) serveAll(ctx context.Context, ready func()) error {
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
	s.o.Log.Info("RTMP ingest serves encoders", "addr", l.Addr().String())
	accepted := make(chan struct{})
	s.wg.Go(func() { defer close(accepted); s.accept(ctx, l) })
	release := s.closeWith(ctx, l)
	defer release()
	select {
	case <-accepted:
	case <-ctx.Done():
	}
	s.end()
	_ = l.Close() // it may be closed already
	s.wg.Wait()
	return nil
}

// closeWith closes the listener when the node drains.
func (s *RTMP) closeWith(ctx context.Context, l net.Listener) (release func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case <-s.draining:
		case <-ctx.Done():
		case <-done:
		}
		_ = l.Close() // it may be closed already
	})
	return func() { close(done); wg.Wait() }
}

// accept takes connections until the listener is closed.
func (s *RTMP) accept(ctx context.Context, l net.Listener) {
	for {
		raw, err := l.Accept()
		switch {
		case err == nil:
			s.take(ctx, raw)
			continue
		case errors.Is(err, net.ErrClosed):
			return
		}
		s.o.Log.Warn("no RTMP connection can be taken", "err", err)
		if !s.wait(ctx, 100*time.Millisecond) {
			return
		}
	}
}

// take serves a connection, if its client may have one more.
func (s *RTMP) take(ctx context.Context, raw net.Conn) {
	from := admission.NetworkOf(raw.RemoteAddr().String())
	if !s.shares.Enter(from) {
		_ = raw.Close() // refused
		s.refused(raw, fault.New(fault.PublishersFull, "take connection", ""))
		return
	}
	conn, cancel := context.WithCancelCause(ctx)
	s.mu.Lock()
	s.conns[raw] = cancel
	s.mu.Unlock()
	s.wg.Go(func() {
		defer func() {
			s.mu.Lock()
			delete(s.conns, raw)
			s.mu.Unlock()
			cancel(nil)
			_ = raw.Close() // it is over
			s.shares.Leave(from)
		}()
		if err := s.serve(conn, raw); err != nil && conn.Err() == nil {
			s.refused(raw, err)
		}
	})
	select {
	case <-s.draining: // end has looked at the connections before
		cancel(fault.New(fault.Draining, "publish", ""))
	default:
	}
}

// end refuses connections and ends those that are open.
func (s *RTMP) end() {
	s.once.Do(func() { close(s.draining) })
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, cancel := range s.conns {
		cancel(fault.New(fault.Draining, "publish", ""))
	}
}

// Drain ends all streams, whose encoders connect again elsewhere, and waits until what they sent is served, or ctx
// ends. Run must have been called.
func (s *RTMP) Drain(ctx context.Context) error {
	s.end()
	select {
	case <-s.served:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// refused reports why a client was refused, with a rate limit: strangers can cause it.
func (s *RTMP) refused(raw net.Conn, err error) {
	if more, ok := s.log.Allow(time.Now()); ok {
		s.o.Log.Info("an RTMP client is refused or ends", "from", admission.NetworkOf(raw.RemoteAddr().String()).String(),
			"more", more, fault.Attr(err))
	}
}

// recoveredRTMP turns a panic of the library into a fault: the bytes are another node's.
func recoveredRTMP(err *error) {
	if v := recover(); v != nil {
		*err = fault.New(fault.PublishProtocol, "read", fmt.Sprint("what came cannot be read: ", v))
	}
}
