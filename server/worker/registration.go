package worker

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"google.golang.org/grpc"
)

const (
	// lookEvery is how often the offer is compared with what was told.
	lookEvery = 500 * time.Millisecond
	// overlap is how long a registration that was replaced may still bring notices that
	// were sent before.
	overlap = 2 * time.Second
	// untilIdle is how long a changed offer waits for a moment without tasks, towards
	// orchestrators that take no second registration; pauseOffers is the least time
	// between two such changes.
	untilIdle   = 30 * time.Second
	pauseOffers = 30 * time.Second
	// untilLeft is how long a worker that takes leave waits for such a moment.
	untilLeft = 10 * time.Second
)

// errOffer ends a registration because what it told has changed; errLeft because the
// worker stops.
var (
	errOffer = errors.New("the offer changed")
	errLeft  = errors.New("the worker took leave")
)

func endOf(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// registration is one connection to an orchestrator, with the stream that counts and
// the one that is to replace it.
type registration[N any] struct {
	*link[N]
	conn *grpc.ClientConn
	// ctx is that of the connection's streams.
	ctx       context.Context
	cur, next *stream
	// refused is when a replacement last failed.
	refused time.Time
	// changed is since when the offer differs from what was told.
	changed time.Time
}

// serve registers once and stays until that is over: the error of the stream, nil for
// a clean end, errOffer or errLeft. stood is how long the registration lasted.
func (l *link[N]) serve(ctx context.Context) (stood time.Duration, err error) {
	conn, err := l.o.dial(l.addr, l.ping)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &registration[N]{link: l, conn: conn, ctx: ctx}
	r.cur = r.open(l.Draining())
	defer func() {
		r.cur.end()
		if r.next != nil {
			r.next.end()
		}
	}()
	select {
	case <-r.cur.accepted:
	case <-r.cur.done:
		return 0, r.cur.err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	l.registered(r.cur)
	began := r.cur.at
	var warm sync.WaitGroup
	warm.Go(func() { l.keepWarm(ctx) })
	err = r.stay()
	cancel()
	warm.Wait()
	return l.o.Now().Sub(began), err
}

func (r *registration[N]) open(draining bool) *stream {
	return openStream(r.ctx, r.Link, r.work.Offer(), draining,
		func(ctx context.Context, reg Registration) (grpc.ServerStreamingClient[N], error) {
			return r.work.Register(ctx, r.conn, reg)
		}, r.notice)
}

// stay watches a registration that stands.
func (r *registration[N]) stay() error {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	drain := r.drain
	for {
		var told, refused <-chan struct{}
		if r.next != nil {
			told, refused = r.next.told, r.next.done
		}
		select {
		case <-r.ctx.Done():
			return r.ctx.Err()
		case <-told:
			r.replace()
		case <-refused:
			if err := r.notReplaced(); err != nil {
				return err
			}
		case <-r.cur.done:
			if r.next == nil {
				return r.cur.err
			}
			// The orchestrator has closed the old one for the new one.
			if err := r.inherit(); err != nil {
				return err
			}
		case <-drain:
			drain = nil
			r.look()
		case <-ticker.C:
		case <-r.tasks.quiet():
		}
		if err := r.look(); err != nil {
			return err
		}
	}
}

// look does what the state of the offer, of the tasks and of the drain asks for.
func (r *registration[N]) look() error {
	offer, own := r.work.Offer(), r.Own()
	leave := errOffer
	if r.Draining() {
		leave = errLeft
	}
	away := r.Draining() || offer == nil
	now := r.o.Now()
	switch {
	case r.next != nil || now.Sub(r.refused) < 2*firstPause:
		return nil
	case away && r.tasks.number() == 0 && (!own || r.cur.draining):
		return leave
	case away == r.cur.draining && (away || bytes.Equal(offer, r.cur.offer)):
		r.changed = time.Time{}
		return nil
	}
	if r.changed.IsZero() {
		r.changed = now
	}
	switch {
	case own:
		r.changed = time.Time{}
		r.next = r.open(away)
	case away:
		// It cannot be told; the orchestrator learns it from the end of the stream.
		if now.Sub(r.changed) >= untilLeft {
			return leave
		}
	case now.Sub(r.cur.at) < pauseOffers:
	case r.tasks.number() == 0, now.Sub(r.changed) >= untilIdle:
		return errOffer
	}
	return nil
}

// replace puts the new stream, which stands, in the place of the old one. What the
// orchestrator had sent on that is still read.
func (r *registration[N]) replace() {
	old := r.promote()
	timer := time.NewTimer(overlap)
	defer timer.Stop()
	select {
	case <-old.done:
	case <-timer.C:
	case <-r.ctx.Done():
	}
	old.end()
}

// promote makes the replacement the stream that counts.
func (r *registration[N]) promote() (old *stream) {
	old = r.cur
	r.cur, r.next = r.next, nil
	r.becomes(r.cur.state(), nil)
	return old
}

// notReplaced drops a replacement that was refused. A refusal for good counts; any
// other leaves things as they are, and it is tried again.
func (r *registration[N]) notReplaced() error {
	err := r.next.err
	r.next = nil
	r.refused = r.o.Now()
	if _, permanent := judge(r.addr, err); permanent {
		return err
	}
	return nil
}

// inherit waits for the replacement after the end of the old stream.
func (r *registration[N]) inherit() error {
	old := r.promote()
	timer := time.NewTimer(overlap)
	defer timer.Stop()
	select {
	case <-r.cur.told:
		return nil
	case <-r.cur.done:
		return r.cur.err
	case <-timer.C:
		return old.err
	case <-r.ctx.Done():
		return r.ctx.Err()
	}
}
