package trickle

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"
)

// wait is a publisher's wait for its first byte. No goroutine watches it: the end of the segment and that of the
// request end the read by its deadline.
type wait struct {
	p *post
	// stop ends the watch for the end of the request; gone is closed when that has ended the read.
	stop func() bool
	gone chan struct{}
	// released: the segment was closed. The channel's mu guards it.
	released bool

	mu      sync.Mutex
	interim *time.Timer // guarded by mu
	over    bool        // guarded by mu
}

func (w *wait) begin() {
	w.stop = context.AfterFunc(w.p.r.Context(), func() { defer close(w.gone); w.endRead() })
	w.mu.Lock()
	w.interim = time.AfterFunc(w.p.c.limits.Interim, w.tick)
	w.mu.Unlock()
	w.p.c.await(w.p.s, w)
}

// end ends the wait: nothing touches the request any more when it returns. It reports whether the segment was
// closed meanwhile.
func (w *wait) end() (released bool) {
	released = w.p.c.forget(w.p.s, w)
	if !w.stop() {
		<-w.gone
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	w.interim.Stop()
	return released
}

// tick sends an interim answer.
func (w *wait) tick() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.over {
		w.p.w.WriteHeader(http.StatusContinue)
		w.interim.Reset(w.p.c.limits.Interim)
	}
}

// release is called with the channel's mu when the segment is closed.
func (w *wait) release() {
	w.released = true
	w.endRead()
}

func (w *wait) endRead() { _ = w.p.rc.SetReadDeadline(time.Unix(1, 0)) }

// await makes the end of a segment release a publisher that waits for its first byte.
func (c *Channel) await(s *segment, w *wait) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.closed {
		w.release()
		return
	}
	s.waiting = append(s.waiting, w)
}

// forget ends what await began, and reports whether the publisher was released.
func (c *Channel) forget(s *segment, w *wait) (released bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.Index(s.waiting, w); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
	}
	return w.released
}
