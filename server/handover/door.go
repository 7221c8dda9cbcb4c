// Package handover lets a listener be taken over by another process: it counts the
// requests in hand, asks peers to come back over a new connection, closes this
// process's side of the socket and waits until what is short has ended.
//
// It does not know the other process, which holds the same socket: connections that
// come meanwhile wait in its queue. The listeners of orchestrator and gateway use it.
package handover

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// Door is one listener's.
type Door struct {
	mu sync.Mutex
	// All below is guarded by mu.
	listener net.Listener
	leaving  bool
	gone     bool
	// short and long are requests in hand: those that end soon, and answers that may
	// take minutes.
	short, long int
	// brief are requests in hand that are answered at once when they have come.
	brief   int
	changed chan struct{} // closed and replaced when one has ended, or the socket was left
	// hold keeps the socket until it returns, nil does not.
	hold func(context.Context) error
}

// New makes a door that is open.
func New() *Door { return &Door{changed: make(chan struct{})} }

// Own is told of the listener.
func (d *Door) Own(l net.Listener) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.listener = l
}

// File is the socket for another process; the caller closes it.
func (d *Door) File() (*os.File, error) {
	d.mu.Lock()
	l := d.listener
	d.mu.Unlock()
	if f, ok := l.(interface{ File() (*os.File, error) }); ok {
		return f.File()
	}
	return nil, errors.New("there is no socket yet")
}

// Kind says how a request counts.
type Kind int

// The kinds.
const (
	// Short is waited for before the place is left.
	Short Kind = iota
	// Long goes on after it: an answer of a model.
	Long
	// Uncounted is not waited for: streams of workers, which never end.
	Uncounted
	// Brief is waited for only a moment: it needs no credentials, and one that is still here
	// comes slowly, or never.
	Brief
)

// Wrap counts requests, and while the place is being left ends each connection with
// its answer.
func (d *Door) Wrap(next http.Handler, kind func(*http.Request) Kind) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		k := kind(r)
		if k == Uncounted {
			next.ServeHTTP(w, r)
			return
		}
		if d.enter(k) {
			w.Header().Set("Connection", "close")
		}
		defer d.exit(k)
		next.ServeHTTP(w, r)
	})
}

func (d *Door) enter(k Kind) (leaving bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.count(k, 1)
	return d.leaving
}

func (d *Door) exit(k Kind) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.count(k, -1)
	d.notify()
}

// notify: the caller holds mu.
func (d *Door) notify() {
	close(d.changed)
	d.changed = make(chan struct{})
}

func (d *Door) count(k Kind, n int) {
	switch k {
	case Long:
		d.long += n
	case Brief:
		d.brief += n
	default:
		d.short += n
	}
}

// notice is for how long peers are asked to come back over a new connection before
// the socket is left: a little more than most segments are long.
const notice = 2 * time.Second

// held is how long a hold may keep the socket after the notice: current requests need the
// rest of the time in which all of them leave.
const held = 6 * time.Second

// moment is how long brief requests are waited for when the socket was left.
const moment = time.Second

// Hold has Leave keep the socket until f returns, or for some seconds: for peers in this
// process, which would wait in the socket's queue for the other one, while that waits for
// the end of this one. It is called before Leave.
func (d *Door) Hold(f func(context.Context) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hold = f
}

// Leave gives notice, closes the listener and waits until no short request is in hand, and a
// moment for brief ones: peers wait in the socket's queue meanwhile.
// The error is ctx's, with some still there.
func (d *Door) Leave(ctx context.Context) error {
	d.mu.Lock()
	d.leaving = true
	hold := d.hold
	d.mu.Unlock()
	timer := time.NewTimer(notice)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
	if hold != nil {
		bounded, cancel := context.WithTimeout(ctx, held)
		_ = hold(bounded) // its time is over: what it waits for is not worth more
		cancel()
	}
	d.close()
	bounded, cancel := context.WithTimeout(ctx, moment)
	defer cancel()
	_ = d.await(bounded, func() bool { return d.brief == 0 })
	return d.await(ctx, func() bool { return d.short == 0 })
}

// close closes this process's side of the socket, which lives on in the other process.
func (d *Door) close() {
	d.mu.Lock()
	d.gone = true
	l := d.listener
	d.mu.Unlock()
	if l != nil {
		_ = l.Close()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.notify()
}

// Settled waits until the socket was left and no short request is in progress, or for ctx.
func (d *Door) Settled(ctx context.Context) error {
	return d.await(ctx, func() bool { return d.gone && d.short == 0 })
}

// Await waits until the long requests have ended, too, or for ctx.
func (d *Door) Await(ctx context.Context) error {
	return d.await(ctx, func() bool { return d.short == 0 && d.long == 0 })
}

// Gone reports whether the listener was left, so that its end is no failure.
func (d *Door) Gone() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.gone
}

// InHand is how many requests there are.
func (d *Door) InHand() (short, long int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.short, d.long
}

// await waits until done holds, which is asked with mu held.
func (d *Door) await(ctx context.Context, done func() bool) error {
	for {
		d.mu.Lock()
		ok, changed := done(), d.changed
		d.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}
