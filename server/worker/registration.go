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
	// checkEvery is how often the offer is compared with the announced one.
	checkEvery = 500 * time.Millisecond
	// overlap is how long a replaced registration is still read, for notifications in
	// transit: a large segment may be half received. An idle worker that drains waits for
	// flush only.
	overlap = 8 * time.Second
	flush   = time.Second
	// replacementTime is how long the replacement may take after the old stream ended.
	replacementTime = 2 * time.Second
	// For orchestrators that accept no second registration, a changed offer waits until no
	// task ran for idleFor, which is likely to be between streams. An urgent offer waits for
	// maxOfferWait at most. pauseOffers is the minimum time between two offers.
	idleFor      = 3 * time.Second
	maxOfferWait = time.Minute
	pauseOffers  = time.Minute
	// drainWait is how long a draining worker waits for such a moment.
	drainWait = 10 * time.Second
)

// errOffer ends a registration because the offer changed; errDeregistered because the
// worker drains.
var (
	errOffer        = errors.New("the offer changed")
	errDeregistered = errors.New("the worker deregistered")
)

func streamEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// registration is one connection to an orchestrator, with the current stream (cur) and its
// replacement (next).
type registration[N any] struct {
	*linkRunner[N]
	conn *grpc.ClientConn
	// ctx is the parent of the connection's streams.
	ctx       context.Context
	cur, next *stream
	// old was replaced at replaced, and is still read.
	old      *stream
	replaced time.Time
	// refused is when a replacement last failed.
	refused time.Time
	// changed is since when the offer differs from the announced one, idle since when no
	// task runs.
	changed, idle time.Time
}

// serve registers once and returns when the registration ends: with the stream's error,
// nil for a clean end, errOffer or errDeregistered. lasted is how long it was registered.
func (l *linkRunner[N]) serve(ctx context.Context) (lasted time.Duration, err error) {
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
	defer func() { l.refusedConn = refused.Load() }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if !l.hasRegistrationID() {
		l.forget() // such orchestrators keep no state over registrations
	}
	r := &registration[N]{linkRunner: l, conn: conn, ctx: ctx}
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
		return 0, errDeregistered
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	l.registered(r.cur)
	began := r.cur.acceptedAt
	var warm sync.WaitGroup
	warm.Go(func() { l.keepWarm(ctx) })
	err = r.watch()
	if ctx.Err() == nil && l.IsTutti() && !r.cur.broken() {
		// Either side ended the registration, and its tasks with it. After a broken
		// connection the orchestrator may take us back with our tasks.
		l.tasks.cancelAll()
	}
	cancel()
	warm.Wait()
	l.expireState()
	if lasted = l.o.Now().Sub(began); lasted < minLifetime && !r.cur.received.Load() {
		return 0, err // it never sent anything
	}
	return lasted, err
}

func (r *registration[N]) open(draining bool) *stream {
	return openStream(r.ctx, r.Link, r.work.Offer(), draining,
		func(ctx context.Context, reg Registration) (grpc.ServerStreamingClient[N], error) {
			return r.work.Register(ctx, r.conn, reg)
		}, r.notify)
}

// watch keeps a registration until it ends.
func (r *registration[N]) watch() error {
	ticker := time.NewTicker(checkEvery)
	defer ticker.Stop()
	drain := r.drain
	for {
		var confirmed, refused, flushed <-chan struct{}
		if r.next != nil {
			confirmed, refused = r.next.confirmed, r.next.done
		}
		if r.old != nil {
			flushed = r.old.done
		}
		select {
		case <-r.ctx.Done():
			return r.ctx.Err()
		case <-confirmed:
			r.promote()
		case <-refused:
			if err := r.dropReplacement(); err != nil {
				return err
			}
		case <-r.cur.done:
			if r.next == nil {
				return r.cur.err
			}
			// The orchestrator closed the old stream in favor of the new one.
			if err := r.awaitReplacement(); err != nil {
				return err
			}
		case <-flushed:
			r.old = nil
		case <-drain:
			drain = nil
		case <-ticker.C:
		case <-r.tasks.idleSignal():
		}
		if err := r.update(); err != nil {
			return err
		}
	}
}

// update announces a changed offer or a drain, and ends the registration when it is due.
func (r *registration[N]) update() error {
	offer, own := r.work.Offer(), r.IsTutti()
	endErr := errOffer
	if r.Draining() {
		endErr = errDeregistered
	}
	withdraw := r.Draining() || offer == nil
	now := r.o.Now()
	flushed := r.endReplaced(now)
	if r.tasks.active() > 0 {
		r.idle = time.Time{}
	} else if r.idle.IsZero() {
		r.idle = now
	}
	switch {
	case r.next != nil || now.Sub(r.refused) < 2*firstPause:
		return nil
	case withdraw && r.tasks.active() == 0 && (!own || r.cur.draining && flushed):
		return endErr
	case withdraw == r.cur.draining && (withdraw || bytes.Equal(offer, r.cur.offer)):
		r.changed = time.Time{}
		return nil
	}
	if r.changed.IsZero() {
		r.changed = now
	}
	return r.announce(offer, withdraw, endErr, now)
}

// announce announces a changed offer or, with withdraw, that the worker wants no more
// tasks. Orchestrators that accept a second registration get one. For others this
// registration must end: its error is returned when that is due.
func (r *registration[N]) announce(offer []byte, withdraw bool, endErr error, now time.Time) error {
	switch {
	case r.IsTutti():
		r.changed = time.Time{}
		r.next = r.open(withdraw)
	case withdraw:
		if now.Sub(r.changed) >= drainWait {
			return endErr
		}
	case r.wasEmpty(offer):
		return errOffer
	case now.Sub(r.cur.acceptedAt) < pauseOffers:
	case !r.idle.IsZero() && now.Sub(r.idle) >= idleFor,
		now.Sub(r.changed) >= maxOfferWait && r.urgent(offer):
		return errOffer
	}
	return nil
}

// wasEmpty reports whether the announced offer is empty and the new one is not.
func (r *registration[N]) wasEmpty(offer []byte) bool {
	w, ok := r.work.(EmptyOfferChecker)
	return ok && w.Empty(r.cur.offer) && !w.Empty(offer)
}

// urgent reports whether a changed offer is worth the sessions of this registration.
func (r *registration[N]) urgent(offer []byte) bool {
	w, ok := r.work.(UrgencyChecker)
	return !ok || w.Urgent(r.cur.offer, offer)
}

// promote makes the accepted replacement the current stream. The old one is still read for
// notifications in transit.
func (r *registration[N]) promote() {
	if r.old != nil {
		r.old.end()
	}
	r.old, r.replaced = r.cur, r.o.Now()
	r.cur, r.next = r.next, nil
	r.setState(r.cur.state(), nil)
}

// endReplaced ends a replaced stream after overlap, and reports whether it can deliver
// nothing any more.
func (r *registration[N]) endReplaced(now time.Time) bool {
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

// dropReplacement drops a refused replacement. It returns the error of a permanent refusal;
// after any other refusal the current stream stays, and the replacement is retried.
func (r *registration[N]) dropReplacement() error {
	err := r.next.err
	r.next = nil
	r.refused = r.o.Now()
	if _, permanent := classifyEnd(r.addr, err); permanent {
		return err
	}
	return nil
}

// awaitReplacement waits for the replacement after the old stream ended.
func (r *registration[N]) awaitReplacement() error {
	timer := time.NewTimer(replacementTime)
	defer timer.Stop()
	select {
	case <-r.next.confirmed:
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
