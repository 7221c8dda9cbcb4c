package alert

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// Board holds the conditions to send, and gets those of failing sinks.
type Board interface {
	Snapshot() []health.Condition
	Changed() (<-chan struct{}, func())
	Report(key health.Key, err error)
}

// Options are a Notifier's settings.
type Options struct {
	Board   Board
	Senders []*Sender
	// After is how long a condition must last.
	After time.Duration
	// Node and Version are part of every alert.
	Node, Version string
	Log           *slog.Logger
	Now           func() time.Time
}

// Notifier is the component that sends the board's conditions to every sink.
type Notifier struct {
	opt        Options
	deliveries []*delivery
}

// New makes a Notifier.
func New(opt Options) *Notifier {
	t := &Notifier{opt: opt}
	for _, s := range opt.Senders {
		t.deliveries = append(t.deliveries, &delivery{notifier: t, sender: s, wake: make(chan struct{}, 1)})
	}
	return t
}

// Name names the component.
func (t *Notifier) Name() string { return "alerts" }

// Run follows the board until ctx ends.
func (t *Notifier) Run(ctx context.Context, ready func()) error {
	changed, end := t.opt.Board.Changed()
	defer end()
	var wg sync.WaitGroup
	defer wg.Wait()
	for _, l := range t.deliveries {
		wg.Go(func() { l.run(ctx) })
	}
	ready()
	rules := health.NewAlertRules(t.opt.After)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		case <-timer.C:
		}
		now := t.opt.Now()
		alerts, next := rules.Observe(now, t.opt.Board.Snapshot())
		for _, a := range alerts {
			t.enqueue(a)
		}
		if timer.Stop(); !next.IsZero() {
			timer.Reset(max(next.Sub(now), time.Millisecond))
		}
	}
}

// enqueue adds an alert to every sink's queue, except the sink whose failure it reports.
func (t *Notifier) enqueue(a health.Alert) {
	for _, l := range t.deliveries {
		if a.Key != l.key() {
			l.add(a)
		}
	}
}

// delivery is one sink with its queue.
type delivery struct {
	notifier *Notifier
	sender   *Sender
	wake     chan struct{}

	mu    sync.Mutex
	queue health.AlertQueue // guarded by mu
}

func (l *delivery) key() health.Key {
	return health.Key{Code: fault.AlertUndelivered, About: l.sender.Name()}
}

func (l *delivery) add(a health.Alert) {
	l.mu.Lock()
	l.queue.Add(a)
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// next returns the queue's Next as a message.
func (l *delivery) next() (m Message, wait time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a, wait, ok := l.queue.Next(l.notifier.opt.Now())
	opt := &l.notifier.opt
	return Message{Alert: a, Node: opt.Node, Version: opt.Version, Dropped: l.queue.Dropped()}, wait, ok
}

func (l *delivery) run(ctx context.Context) {
	defer l.sender.Close()
	for {
		m, wait, ok := l.next()
		if ok {
			l.send(ctx, &m)
			if ctx.Err() != nil {
				return
			}
			continue
		}
		var later <-chan time.Time
		if wait > 0 {
			later = time.After(wait)
		}
		select {
		case <-ctx.Done():
			return
		case <-l.wake:
		case <-later:
		}
	}
}

// send makes one attempt.
func (l *delivery) send(ctx context.Context, m *Message) {
	after, err := l.sender.Send(ctx, m)
	if ctx.Err() != nil {
		return
	}
	o := &l.notifier.opt
	l.mu.Lock()
	if err == nil {
		l.queue.Sent()
	} else {
		l.queue.Failed(o.Now(), after, rand.Float64())
	}
	l.mu.Unlock()
	o.Board.Report(l.key(), err)
	if err == nil {
		o.Log.Debug("alert sent", "sink", l.sender.Name(), "state", string(m.State), "code", string(m.Key.Code))
	}
}
