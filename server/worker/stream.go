package worker

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	"github.com/tuttinode/tutti/server/remote"
)

const (
	// settle is after how long without a refusal an orchestrator that says nothing counts
	// as having taken the registration. It begins when the request is on its way over a
	// connection that stands.
	settleTime = 2 * time.Second
	// lives is how long the registration with one that has never said anything must have
	// lasted to have been one: a process that stands still takes connections, too.
	minLifetime = pingEvery + silence + settleTime
)

// stream is one registration. It is read by a goroutine of its own.
type stream struct {
	offer    []byte
	draining bool
	cancel   context.CancelFunc
	// accepted is closed when the orchestrator has taken it, or seems to; told when it
	// said so itself.
	accepted  chan struct{}
	confirmed chan struct{}
	// done is closed when it is over; err, nil for a clean end, is set before.
	done chan struct{}
	err  error
	// ended says that the orchestrator ended it, rather than the connection.
	endedByPeer atomic.Bool

	// heard says that the orchestrator has spoken.
	received atomic.Bool
	accept   sync.Once
	// at is when it was taken, set before accepted is closed.
	acceptedAt time.Time
}

// opener opens a registration; it is Work.Register with everything filled in.
type opener[N any] func(ctx context.Context, r Registration) (grpc.ServerStreamingClient[N], error)

// openStream registers and begins to read.
func openStream[N any](ctx context.Context, l *Link, offer []byte, draining bool, open opener[N], notify func(*N)) *stream {
	ctx, cancel := context.WithCancel(ctx)
	s := &stream{offer: offer, draining: draining, cancel: cancel,
		accepted: make(chan struct{}), confirmed: make(chan struct{}), done: make(chan struct{})}
	ctx = withTrailerFlag(ctx, &s.endedByPeer)
	go func() {
		defer close(s.done)
		defer cancel()
		s.err = read(ctx, l, s, open, notify)
	}()
	return s
}

// taken notes that the registration stands. Only the first call counts.
func (s *stream) markAccepted(l *Link) {
	s.accept.Do(func() {
		s.acceptedAt = l.o.Now()
		close(s.accepted)
	})
}

// broken reports whether it is over because its connection broke.
func (s *stream) broken() bool {
	select {
	case <-s.done:
		return !s.endedByPeer.Load()
	default:
		return false
	}
}

// state is what the operator sees of a registration that stands.
func (s *stream) state() string {
	if s.draining {
		return Draining
	}
	return Registered
}

// end ends the stream and waits for its reader.
func (s *stream) end() {
	s.cancel()
	<-s.done
}

func read[N any](ctx context.Context, l *Link, s *stream, open opener[N], notify func(*N)) error {
	in, err := open(ctx, Registration{Secret: l.o.Secret.Reveal(), Node: l.o.Node, Worker: l.o.Worker,
		Instance: l.instance, Draining: s.draining})
	if err != nil {
		return err
	}
	// Before this nobody has heard of the registration.
	settled := time.AfterFunc(settleTime, func() { s.markAccepted(l) })
	defer settled.Stop()
	// Others send no header before the first notice, or before the end.
	md, err := in.Header()
	own := err == nil && len(md.Get(remote.NodeMetadata)) > 0
	if own {
		l.setPeer(first(md.Get(remote.NodeMetadata)), first(md.Get(remote.RegistrationMetadata)))
		s.received.Store(true)
		s.markAccepted(l)
		close(s.confirmed)
	}
	for {
		n, err := in.Recv()
		if err != nil {
			return streamEnd(err)
		}
		if !s.received.Swap(true) {
			// Only now is it sure: what ends without a notice says nothing of its kind.
			l.setPeer("", "")
		}
		s.markAccepted(l)
		notify(n)
	}
}

func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// knows notes what the orchestrator said of itself; both are "" for one of another kind.
// In another place than before, nothing is left of what there was.
func (l *Link) setPeer(node, place string) {
	l.mu.Lock()
	moved := l.registrationID != "" && l.registrationID != place
	l.isTutti, l.registrationID, l.status.Node = node != "", place, node
	l.mu.Unlock()
	if moved {
		l.tasks.cancelAll()
		l.forget()
	}
}
