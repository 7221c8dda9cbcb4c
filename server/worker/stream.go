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
	settle = 2 * time.Second
	// lives is how long the registration with one that has never said anything must have
	// lasted to have been one: a process that stands still takes connections, too.
	lives = pingEvery + silence + settle
)

// stream is one registration. It is read by a goroutine of its own.
type stream struct {
	offer    []byte
	draining bool
	cancel   context.CancelFunc
	// accepted is closed when the orchestrator has taken it, or seems to; told when it
	// said so itself.
	accepted chan struct{}
	told     chan struct{}
	// done is closed when it is over; err, nil for a clean end, is set before.
	done chan struct{}
	err  error
	// ended says that the orchestrator ended it, rather than the connection.
	ended atomic.Bool

	// heard says that the orchestrator has spoken.
	heard  atomic.Bool
	accept sync.Once
	// at is when it was taken, set before accepted is closed.
	at time.Time
}

// opener opens a registration; it is Work.Register with everything filled in.
type opener[N any] func(ctx context.Context, r Registration) (grpc.ServerStreamingClient[N], error)

// openStream registers and begins to read.
func openStream[N any](ctx context.Context, l *Link, offer []byte, draining bool, open opener[N], notice func(*N)) *stream {
	ctx, cancel := context.WithCancel(ctx)
	s := &stream{offer: offer, draining: draining, cancel: cancel,
		accepted: make(chan struct{}), told: make(chan struct{}), done: make(chan struct{})}
	ctx = withEnding(ctx, &s.ended)
	go func() {
		defer close(s.done)
		defer cancel()
		s.err = read(ctx, l, s, open, notice)
	}()
	return s
}

// taken notes that the registration stands. Only the first call counts.
func (s *stream) taken(l *Link) {
	s.accept.Do(func() {
		s.at = l.o.Now()
		close(s.accepted)
	})
}

// broken reports whether it is over because its connection broke.
func (s *stream) broken() bool {
	select {
	case <-s.done:
		return !s.ended.Load()
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

func read[N any](ctx context.Context, l *Link, s *stream, open opener[N], notice func(*N)) error {
	in, err := open(ctx, Registration{Secret: l.o.Secret.Reveal(), Node: l.o.Node, Worker: l.o.Worker,
		Instance: l.instance, Draining: s.draining})
	if err != nil {
		return err
	}
	// Before this nobody has heard of the registration.
	settled := time.AfterFunc(settle, func() { s.taken(l) })
	defer settled.Stop()
	// Others send no header before the first notice, or before the end.
	md, err := in.Header()
	own := err == nil && len(md.Get(remote.NodeMetadata)) > 0
	if own {
		l.knows(first(md.Get(remote.NodeMetadata)), first(md.Get(remote.PlaceMetadata)))
		s.heard.Store(true)
		s.taken(l)
		close(s.told)
	}
	for {
		n, err := in.Recv()
		if err != nil {
			return endOf(err)
		}
		if !s.heard.Swap(true) {
			// Only now is it sure: what ends without a notice says nothing of its kind.
			l.knows("", "")
		}
		s.taken(l)
		notice(n)
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
func (l *Link) knows(node, place string) {
	l.mu.Lock()
	moved := l.place != "" && l.place != place
	l.own, l.place, l.status.Node = node != "", place, node
	l.mu.Unlock()
	if moved {
		l.tasks.cancelAll()
		l.forget()
	}
}
