package worker

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
)

const (
	// lookEvery is how often the offer is compared with what was told.
	lookEvery = 500 * time.Millisecond
	// overlap is how long a registration that was replaced may still bring notices that
	// were sent before: a large segment may be half way. A worker that takes leave with
	// nothing to do waits for flush only.
	overlap = 8 * time.Second
	flush   = time.Second
	// handOver is how long the replacement may take after the end of what it replaces.
	handOver = 2 * time.Second
	// Towards orchestrators that take no second registration, a changed offer waits for a
	// moment that is likely to be between streams: no task for idleFor. Where it presses,
	// untilIdle is the most that it waits. pauseOffers is the least time between two.
	idleFor     = 3 * time.Second
	untilIdle   = time.Minute
	pauseOffers = time.Minute
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
	// old was replaced at replaced, and is still read.
	old      *stream
	replaced time.Time
	// refused is when a replacement last failed.
	refused time.Time
	// changed is since when the offer differs from what was told, idle since when no task
	// runs.
	changed, idle time.Time
}

// serve registers once and stays until that is over: the error of the stream, nil for
// a clean end, errOffer or errLeft. stood is how long the registration lasted.
func (l *link[N]) serve(ctx context.Context) (stood time.Duration, err error) {
	var refused atomic.Bool
	conn, err := l.o.dial(l.addr, l.ping, func(conn net.Conn, err error) {
		refused.Store(errors.Is(err, errRefused))
		if err == nil {
			l.reached(conn)
		}
	})
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	defer func() { l.gone = refused.Load() }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if !l.placed() {
		l.forget() // a registration is a new beginning there
	}
	r := &registration[N]{link: l, conn: conn, ctx: ctx}
	r.cur = r.open(l.Draining())
	defer func() {
		for _, s := range []*stream{r.cur, r.next, r.old} {
			if s != nil {
				s.end()
			}
		}
	}()
	select {
	case <-r.cur.accepted:
	case <-r.cur.done:
		return 0, r.cur.err
	case <-l.drain:
		return 0, errLeft
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	l.registered(r.cur)
	began := r.cur.at
	var warm sync.WaitGroup
	warm.Go(func() { l.keepWarm(ctx) })
	err = r.stay()
	if ctx.Err() == nil && l.Own() && !r.cur.broken() {
		// It has ended by the orchestrator's word, or ours, and so have its tasks. When the
		// connection broke, it may not know yet, and take us back with them.
		l.tasks.cancelAll()
	}
	cancel()
	warm.Wait()
	l.away()
	if stood = l.o.Now().Sub(began); stood < lives && !r.cur.heard.Load() {
		return 0, err // it has never said a word
	}
	return stood, err
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
		var told, refused, flushed <-chan struct{}
		if r.next != nil {
			told, refused = r.next.told, r.next.done
		}
		if r.old != nil {
			flushed = r.old.done
		}
		select {
		case <-r.ctx.Done():
			return r.ctx.Err()
		case <-told:
			r.promote()
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
		case <-flushed:
			r.old = nil
		case <-drain:
			drain = nil
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
	flushed := r.tidy(now)
	if r.tasks.number() > 0 {
		r.idle = time.Time{}
	} else if r.idle.IsZero() {
		r.idle = now
	}
	switch {
	case r.next != nil || now.Sub(r.refused) < 2*firstPause:
		return nil
	case away && r.tasks.number() == 0 && (!own || r.cur.draining && flushed):
		return leave
	case away == r.cur.draining && (away || bytes.Equal(offer, r.cur.offer)):
		r.changed = time.Time{}
		return nil
	}
	if r.changed.IsZero() {
		r.changed = now
	}
	return r.tell(offer, away, leave, now)
}

// tell tells a changed offer, or that the worker stays away from now on: by a second
// registration where the orchestrator takes one. Others learn it from the end of this
// one, whose error is returned when its time has come.
func (r *registration[N]) tell(offer []byte, away bool, leave error, now time.Time) error {
	switch {
	case r.Own():
		r.changed = time.Time{}
		r.next = r.open(away)
	case away:
		if now.Sub(r.changed) >= untilLeft {
			return leave
		}
	case r.empty(offer):
		return errOffer
	case now.Sub(r.cur.at) < pauseOffers:
	case !r.idle.IsZero() && now.Sub(r.idle) >= idleFor,
		now.Sub(r.changed) >= untilIdle && r.presses(offer):
		return errOffer
	}
	return nil
}

// empty asks whether what was told is of no use, and what would be told now is of some.
func (r *registration[N]) empty(offer []byte) bool {
	w, ok := r.work.(Emptying)
	return ok && w.Empty(r.cur.offer) && !w.Empty(offer)
}

// presses asks whether a changed offer is worth the sessions of this registration.
func (r *registration[N]) presses(offer []byte) bool {
	w, ok := r.work.(Pressing)
	return !ok || w.Presses(r.cur.offer, offer)
}

// promote puts the new stream, which stands, in the place of the one that counts. What
// the orchestrator had sent on that is still read.
func (r *registration[N]) promote() {
	if r.old != nil {
		r.old.end()
	}
	r.old, r.replaced = r.cur, r.o.Now()
	r.cur, r.next = r.next, nil
	r.becomes(r.cur.state(), nil)
}

// tidy ends what was replaced long enough ago, and reports whether nothing can come on
// it any more.
func (r *registration[N]) tidy(now time.Time) bool {
	if r.old == nil {
		return true
	}
	since := now.Sub(r.replaced)
	if since >= overlap {
		r.old.end()
		r.old = nil
	}
	return since >= flush
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
	timer := time.NewTimer(handOver)
	defer timer.Stop()
	select {
	case <-r.next.told:
		r.promote()
		return nil
	case <-r.next.done:
		return r.next.err
	case <-timer.C:
		return r.cur.err
	case <-r.ctx.Done():
		return r.ctx.Err()
	}
}
