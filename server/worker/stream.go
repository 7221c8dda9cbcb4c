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
	// settleTime is how long after the request an orchestrator that sends nothing counts as
	// having accepted the registration, unless it refuses.
	settleTime = 2 * time.Second
	// minLifetime is how long a registration with an orchestrator that never sent anything
	// must last to count: a hanging process accepts connections, too.
	minLifetime = pingEvery + silence + settleTime
)

// stream is one registration stream. A goroutine of its own reads it.
type stream struct {
	offer    []byte
	draining bool
	cancel   context.CancelFunc
	// accepted is closed when the orchestrator has accepted it, or seems to; confirmed when
	// the orchestrator confirmed it.
	accepted  chan struct{}
	confirmed chan struct{}
	// done is closed when it is over; err, nil for a clean end, is set before.
	done chan struct{}
	err  error
	// endedByPeer: the orchestrator ended it, not a broken connection.
	endedByPeer atomic.Bool

	// received: something came from the orchestrator.
	received atomic.Bool
	accept   sync.Once
	// acceptedAt is when it was accepted, set before accepted is closed.
	acceptedAt time.Time
}

// opener opens a registration; it is Work.Register with everything filled in.
type opener[N any] func(ctx context.Context, r Registration) (grpc.ServerStreamingClient[N], error)

// openStream registers and begins to read.
func openStream[N any](
	ctx context.Context, l *Link, offer []byte, draining bool, open opener[N], notify func(*N),
) *stream {
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

// markAccepted records that the registration is accepted. Only the first call counts.
func (s *stream) markAccepted(l *Link) {
	s.accept.Do(func() {
		s.acceptedAt = l.o.Now()
		close(s.accepted)
	})
}

// broken reports whether it ended because its connection broke.
func (s *stream) broken() bool {
	select {
	case <-s.done:
		return !s.endedByPeer.Load()
	default:
		return false
	}
}

// state returns the operator's state of an accepted registration.
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
	// Only now the request is sent.
	settled := time.AfterFunc(settleTime, func() { s.markAccepted(l) })
	defer settled.Stop()
	// Other nodes send no header before the first notification or the end.
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
			// Only now is its kind known: a stream that ends without a notification shows none.
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

// setPeer records the orchestrator's release and its registration id; both are "" for
// other nodes. A changed id means that the orchestrator dropped this worker's tasks.
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
