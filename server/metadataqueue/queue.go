package metadataqueue

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/eventstream"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

const (
	// maxQueue is how many messages wait, maxBatch how many are sent before their confirmations are awaited.
	maxQueue = 1000
	maxBatch = 100
	// maxTries is how often a message is sent.
	maxTries = 3
)

// Options are the settings of a Queue. URI, Exchange, Board, Log, Now and Rand must be set.
type Options struct {
	// URI is amqp:// or amqps:// with user and password; Exchange is declared as a durable topic exchange.
	URI      core.Secret
	Exchange string
	// Timeout is how long the broker may take for a message; default 1 s.
	Timeout time.Duration
	// Node identifies this gateway in messages.
	Node string
	// RetryAfter is the wait before the second attempt to connect, which doubles up to a minute; default 1 s.
	// CheckEvery is how often the condition is examined, default 30 s. Flush is how long the end waits for the broker,
	// default 2 s.
	RetryAfter, CheckEvery, Flush time.Duration

	Board *health.Board
	Log   *slog.Logger
	Now   func() time.Time
	Rand  io.Reader
}

// Queue sends messages. It implements core/eventstream.Segments and is a lifecycle component.
type Queue struct {
	opt     Options
	pending chan *message
	losses  *eventstream.Losses
	lost    atomic.Uint64
}

var _ eventstream.Segments = (*Queue)(nil)

// New makes a queue. It connects when it runs. An error is the fault BadOption.
func New(o Options) (*Queue, error) {
	orElse := func(v *time.Duration, d time.Duration) {
		if *v <= 0 {
			*v = d
		}
	}
	orElse(&o.Timeout, time.Second)
	orElse(&o.RetryAfter, time.Second)
	orElse(&o.CheckEvery, 30*time.Second)
	orElse(&o.Flush, 2*time.Second)
	if _, err := amqp.ParseURI(o.URI.Reveal()); err != nil {
		// The library's text may quote the password.
		return nil, fault.New(fault.BadOption, "open the metadata queue", "-metadataQueueUri is no AMQP address")
	}
	return &Queue{opt: o, pending: make(chan *message, maxQueue),
		losses: eventstream.NewLosses(o.Board, health.Key{Code: fault.EventsLost, About: "amqp"})}, nil
}

// Name names the component.
func (q *Queue) Name() string { return "metadata queue" }

// Lost is how many messages were dropped.
func (q *Queue) Lost() uint64 { return q.lost.Load() }

// SegmentDone queues the message of a segment.
func (q *Queue) SegmentDone(s *eventstream.Segment) {
	m, err := describe(s, q.opt.Node, q.opt.Now(), q.opt.Rand)
	if err != nil {
		q.drop("a message cannot be written")
		return
	}
	q.add(m)
}

func (q *Queue) add(m *message) {
	select {
	case q.pending <- m:
	default:
		q.drop("the queue is full: the broker takes messages too slowly, or cannot be reached")
	}
}

func (q *Queue) drop(reason string) {
	q.lost.Add(1)
	q.losses.Failed(reason)
}

// again queues messages that were not confirmed.
func (q *Queue) again(batch []*message, reason string) {
	for _, m := range batch {
		if m.tries++; m.tries >= maxTries {
			q.drop(reason)
			continue
		}
		q.add(m)
	}
}

// Run connects and sends until ctx ends, then gives what is left a moment to be sent.
func (q *Queue) Run(ctx context.Context, ready func()) error {
	ready()
	// work outlives ctx by the time of the last messages.
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(q.opt.Flush, cancel) })()
	check := time.NewTicker(q.opt.CheckEvery)
	defer check.Stop()
	for wait := q.opt.RetryAfter; ; wait = min(2*wait, time.Minute) {
		sent, err := q.session(ctx, work, check.C)
		if ctx.Err() != nil {
			if n := len(q.pending); n > 0 {
				q.opt.Log.Warn("reports of segments were not sent before the end", "messages", n)
			}
			return nil
		}
		q.losses.Failed(reason(err))
		if sent {
			wait = q.opt.RetryAfter
		}
		if !q.pause(ctx, wait, check.C) {
			return nil
		}
	}
}

// pause waits before the next attempt to connect. It reports whether the node goes on.
func (q *Queue) pause(ctx context.Context, wait time.Duration, check <-chan time.Time) bool {
	later := time.NewTimer(wait/2 + rand.N(wait/2+1))
	defer later.Stop()
	for {
		select {
		case <-later.C:
			return true
		case <-check:
			q.losses.Check()
		case <-ctx.Done():
			return false
		}
	}
}

// errEnded: the node stops and nothing is left to send.
var errEnded = errors.New("the node is stopping")

// session sends over one connection until it fails, or until ctx ended and nothing is left. sent reports whether
// anything was confirmed.
func (q *Queue) session(ctx, work context.Context, check <-chan time.Time) (sent bool, err error) {
	l, err := q.open(work)
	if err != nil {
		return false, err
	}
	defer l.close()
	for {
		batch, err := q.take(ctx, l, check)
		if err != nil {
			return sent, err
		}
		refused, err := l.publish(work, batch)
		if err != nil {
			q.again(batch, reason(err))
			return sent, err
		}
		if len(refused) < len(batch) {
			sent = true
			q.losses.Delivered()
		}
		q.again(refused, "the broker refuses messages")
	}
}

// take waits for messages, and takes as many as there are, up to maxBatch.
func (q *Queue) take(ctx context.Context, l *link, check <-chan time.Time) ([]*message, error) {
	var batch []*message
	for len(batch) == 0 {
		select {
		case m := <-q.pending:
			batch = append(batch, m)
		case <-check:
			q.losses.Check()
		case err := <-l.closed:
			return nil, closedError(err)
		case <-ctx.Done():
			if len(q.pending) == 0 {
				return nil, errEnded
			}
		}
	}
	for len(batch) < maxBatch {
		select {
		case m := <-q.pending:
			batch = append(batch, m)
		default:
			return batch, nil
		}
	}
	return batch, nil
}
