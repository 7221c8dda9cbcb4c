package admission

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// Handover is the handover of one listener.
type Handover struct {
	mu sync.Mutex
	// All below is guarded by mu.
	listener  net.Listener
	releasing bool
	released  bool
	// releasedAt is when it was released.
	releasedAt time.Time
	// short and long count requests in progress: those that end soon, and answers that may
	// take minutes.
	short, long int
	// brief counts requests in progress that are answered as soon as they are read.
	brief   int
	changed chan struct{} // closed and replaced when a request has ended or the socket was released
	// hold delays the release until it returns, nil does not.
	hold func(context.Context) error
}

// NewHandover makes a handover that has not started.
func NewHandover() *Handover { return &Handover{changed: make(chan struct{})} }

// SetListener sets the listener.
func (d *Handover) SetListener(l net.Listener) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.listener = l
}

// File returns the socket for another process; the caller closes it.
func (d *Handover) File() (*os.File, error) {
	d.mu.Lock()
	l := d.listener
	d.mu.Unlock()
	if f, ok := l.(interface{ File() (*os.File, error) }); ok {
		return f.File()
	}
	return nil, errors.New("there is no socket yet")
}

// RequestKind is how a request counts.
type RequestKind int

// The kinds.
const (
	// ShortRequest requests end before the release completes.
	ShortRequest RequestKind = iota
	// LongRequest requests continue after it: answers of models.
	LongRequest
	// UncountedRequest requests are not waited for: streams of workers, which never end.
	UncountedRequest
	// BriefRequest requests are waited for only briefly: they need no credentials, and one that is still
	// there arrives slowly, or never.
	BriefRequest
	// FollowedRequest requests are waited for as short ones, and the client fetches afterwards what they
	// made. The notice does not close their connection: a new one would wait for the other process, which
	// starts when all segments in progress have ended.
	FollowedRequest
	// FollowingRequest requests fetch it, and are waited for as short ones. For fetchTime after the release
	// their connection is left open: those that wait for a connection take it.
	FollowingRequest
)

// Wrap counts requests, and during the release closes connections after their answer.
func (d *Handover) Wrap(next http.Handler, kind func(*http.Request) RequestKind) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		k := kind(r)
		if k == UncountedRequest {
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

func (d *Handover) enter(k RequestKind) (leaving bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.countLocked(k, 1)
	if d.released {
		return k != FollowingRequest || time.Since(d.releasedAt) > fetchTime
	}
	return d.releasing && k != FollowedRequest
}

func (d *Handover) exit(k RequestKind) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.countLocked(k, -1)
	d.notifyLocked()
}

// notifyLocked wakes the waiting callers.
func (d *Handover) notifyLocked() {
	close(d.changed)
	d.changed = make(chan struct{})
}

func (d *Handover) countLocked(k RequestKind, n int) {
	switch k {
	case LongRequest:
		d.long += n
	case BriefRequest:
		d.brief += n
	default:
		d.short += n
	}
}

// Finish waits until the requests in progress have ended, or for ctx, and closes the server. It is called after a
// release, when the server has ended its listener.
func (d *Handover) Finish(ctx context.Context, server *http.Server, grace time.Duration) error {
	err := d.WaitIdle(ctx)
	if err == nil { // the last bytes of an answer are written after its handler has returned
		within, cancel := context.WithTimeout(ctx, grace)
		defer cancel()
		_ = server.Shutdown(within)
	}
	_ = server.Close()
	return err
}

// noticeTime is how long peers are asked to reconnect before the socket is closed: a little
// longer than most segments.
const noticeTime = 2 * time.Second

// maxHold bounds the delay of BeforeRelease: requests in progress need the rest of the
// release's time.
const maxHold = 6 * time.Second

// fetchTime is as long as a gateway waits for a rendition.
const fetchTime = 4 * time.Second

// briefWait is how long Release waits for brief requests after the socket was closed.
const briefWait = time.Second

// BeforeRelease makes Release keep the socket until f returns, or for maxHold: peers in
// this process would otherwise wait in the socket's queue for the other process, while that
// waits for the end of this one. It must be called before Release.
func (d *Handover) BeforeRelease(f func(context.Context) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hold = f
}

// Release asks peers to reconnect, closes the listener and waits until no short request is
// in progress, and up to briefWait for brief ones. The error is ctx's.
func (d *Handover) Release(ctx context.Context) error {
	d.mu.Lock()
	d.releasing = true
	hold := d.hold
	d.mu.Unlock()
	timer := time.NewTimer(noticeTime)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
	if hold != nil {
		bounded, cancel := context.WithTimeout(ctx, maxHold)
		_ = hold(bounded) // on a timeout the release goes on
		cancel()
	}
	d.close()
	bounded, cancel := context.WithTimeout(ctx, briefWait)
	defer cancel()
	_ = d.await(bounded, func() bool { return d.brief == 0 })
	return d.await(ctx, func() bool { return d.short == 0 })
}

// close closes this process's copy of the socket; the other process keeps its own.
func (d *Handover) close() {
	d.mu.Lock()
	d.released, d.releasedAt = true, time.Now()
	l := d.listener
	d.mu.Unlock()
	if l != nil {
		_ = l.Close()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.notifyLocked()
}

// WaitReleased waits until the socket was released and no short request is in progress, or
// for ctx.
func (d *Handover) WaitReleased(ctx context.Context) error {
	return d.await(ctx, func() bool { return d.released && d.short == 0 })
}

// WaitIdle waits until short and long requests have ended, or for ctx.
func (d *Handover) WaitIdle(ctx context.Context) error {
	return d.await(ctx, func() bool { return d.short == 0 && d.long == 0 })
}

// Released reports whether the listener was released, so that its end is no failure.
func (d *Handover) Released() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.released
}

// InProgress returns how many requests are in progress.
func (d *Handover) InProgress() (short, long int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.short, d.long
}

// await waits until done returns true; it is called with mu held.
func (d *Handover) await(ctx context.Context, done func() bool) error {
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
