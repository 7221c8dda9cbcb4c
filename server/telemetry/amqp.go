package telemetry

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
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/telemetry"
)

const (
	// maxQueue is how many messages wait, maxBatch how many are sent before their confirmations are awaited.
	maxQueue = 1000
	maxBatch = 100
	// maxTries is how often a message is sent.
	maxTries = 3
)

// AMQPOptions are the settings of an AMQP. URI, Exchange, Board, Log, Now and Rand must be set.
type AMQPOptions struct {
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

// AMQP sends messages. It implements core/telemetry.Segments and is a lifecycle component.
type AMQP struct {
	opt     AMQPOptions
	pending chan *amqpMessage
	losses  *losses
	lost    atomic.Uint64
}

var _ telemetry.Segments = (*AMQP)(nil)

// NewAMQP makes a queue. It connects when it runs. An error is the fault BadOption.
func NewAMQP(o AMQPOptions) (*AMQP, error) {
	orElse(&o.Timeout, time.Second)
	orElse(&o.RetryAfter, time.Second)
	orElse(&o.CheckEvery, 30*time.Second)
	orElse(&o.Flush, 2*time.Second)
	if _, err := amqp.ParseURI(o.URI.Reveal()); err != nil {
		// The library's text may quote the password.
		return nil, fault.New(fault.BadOption, "open the metadata queue", "-metadataQueueUri is no AMQP address")
	}
	return &AMQP{opt: o, pending: make(chan *amqpMessage, maxQueue),
		losses: newLosses(o.Board, health.Key{Code: fault.EventsLost, About: "amqp"})}, nil
}

// Name names the component.
func (q *AMQP) Name() string { return "metadata queue" }

// Lost is how many messages were dropped.
func (q *AMQP) Lost() uint64 { return q.lost.Load() }

// SegmentDone queues the message of a segment.
func (q *AMQP) SegmentDone(s *telemetry.Segment) {
	m, err := describe(s, q.opt.Node, q.opt.Now(), q.opt.Rand)
	if err != nil {
		q.drop("a message cannot be written")
		return
	}
	q.add(m)
}

func (q *AMQP) add(m *amqpMessage) {
	select {
	case q.pending <- m:
	default:
		q.drop("the queue is full: the broker takes messages too slowly, or cannot be reached")
	}
}

func (q *AMQP) drop(reason string) {
	q.lost.Add(1)
	q.losses.Failed(reason)
}

// again queues messages that were not confirmed.
func (q *AMQP) again(batch []*amqpMessage, reason string) {
	for _, m := range batch {
		if m.tries++; m.tries >= maxTries {
			q.drop(reason)
			continue
		}
		q.add(m)
	}
}

// Run connects and sends until ctx ends, then gives what is left a moment to be sent.
func (q *AMQP) Run(ctx context.Context, ready func()) error {
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
		q.losses.Failed(amqpReason(err))
		if sent {
			wait = q.opt.RetryAfter
		}
		if !q.pause(ctx, wait, check.C) {
			return nil
		}
	}
}

// pause waits before the next attempt to connect. It reports whether the node goes on.
func (q *AMQP) pause(ctx context.Context, wait time.Duration, check <-chan time.Time) bool {
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
func (q *AMQP) session(ctx, work context.Context, check <-chan time.Time) (sent bool, err error) {
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
			q.again(batch, amqpReason(err))
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
func (q *AMQP) take(ctx context.Context, l *amqpLink, check <-chan time.Time) ([]*amqpMessage, error) {
	var batch []*amqpMessage
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
