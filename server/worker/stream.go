package worker

import (
	"context"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

// NodeMetadata is the response metadata by which an orchestrator of our own kind says
// that it is one: its value is "tutti/1.2.3".
const NodeMetadata = "tutti-node"

// settle is after how long without a refusal an orchestrator that says nothing counts
// as having taken the registration.
const settle = 2 * time.Second

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

	accept sync.Once
	timer  *time.Timer
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
	s.timer = time.AfterFunc(settle, func() { s.taken(l, nil) })
	go func() {
		defer close(s.done)
		defer cancel()
		s.err = read(ctx, l, s, open, notice)
		s.timer.Stop()
	}()
	return s
}

// taken notes that the registration stands, and what the orchestrator says of itself.
// Only the first word counts, but for the orchestrator's own, which may come late.
func (s *stream) taken(l *Link, md metadata.MD) {
	if md != nil {
		l.knows(md)
	}
	s.accept.Do(func() {
		if md == nil {
			l.knows(nil)
		}
		s.at = l.o.Now()
		close(s.accepted)
	})
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
	// Others send no header before the first notice, or before the end.
	md, err := in.Header()
	if err == nil && len(md.Get(NodeMetadata)) > 0 {
		s.taken(l, md)
		close(s.told)
	}
	for {
		n, err := in.Recv()
		if err != nil {
			return endOf(err)
		}
		s.taken(l, nil)
		notice(n)
	}
}

// knows notes what the orchestrator said of itself.
func (l *Link) knows(md metadata.MD) {
	node := ""
	if v := md.Get(NodeMetadata); len(v) > 0 {
		node = v[0]
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.own = node != ""
	l.status.Node = node
}
