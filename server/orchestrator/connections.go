package orchestrator

import (
	"container/list"
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// connections keeps the number of open connections at bay. A connection that
// does nothing costs little but is not worth refusing a gateway for: past the
// limit the one that has done nothing for the longest time is closed.
type connections struct {
	max atomic.Int64
	log *slog.Logger
	// seen is told who has a request; nil for nobody who wants to know.
	seen func(net.Addr)

	// mu guards what follows.
	mu   sync.Mutex
	open map[net.Conn]*list.Element // nil element: a request is in hand
	idle *list.List                 // of net.Conn, longest idle first
	// fresh are those that have not had a request yet, with when they came.
	fresh map[net.Conn]time.Time
	full  bool // the limit was hit and not yet left
}

func newConnections(most int, log *slog.Logger) *connections {
	c := &connections{log: log, open: make(map[net.Conn]*list.Element), idle: list.New(), fresh: make(map[net.Conn]time.Time)}
	c.max.Store(int64(most))
	return c
}

// changed is the server's ConnState hook.
func (c *connections) changed(conn net.Conn, state http.ConnState) {
	if c.seen != nil && state == http.StateActive {
		c.seen(conn.RemoteAddr())
	}
	if victim := c.note(conn, state); victim != nil {
		// Not under the lock: closing may come back here.
		hangUp(victim)
	}
}

// hangUp closes a connection without a word: TLS would say goodbye first, and
// wait for a peer that does not read.
func hangUp(conn net.Conn) {
	if t, ok := conn.(*tls.Conn); ok {
		conn = t.NetConn()
	}
	conn.Close()
}

// note books the change and returns the connection that must go, if any.
func (c *connections) note(conn net.Conn, state http.ConnState) (victim net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if state == http.StateNew {
		c.fresh[conn] = time.Now()
	} else {
		delete(c.fresh, conn)
	}
	switch state {
	case http.StateNew, http.StateIdle:
		// A connection is idle from its start: one that never says anything is
		// the first to go.
		if c.open[conn] == nil {
			c.open[conn] = c.idle.PushBack(conn)
		}
	case http.StateActive:
		if e := c.open[conn]; e != nil {
			c.idle.Remove(e)
		}
		c.open[conn] = nil
	case http.StateClosed, http.StateHijacked:
		if e := c.open[conn]; e != nil {
			c.idle.Remove(e)
		}
		delete(c.open, conn)
		if len(c.open) < int(c.max.Load())*9/10 {
			c.full = false
		}
	}
	if state != http.StateNew || len(c.open) <= int(c.max.Load()) {
		return nil
	}
	if !c.full {
		c.full = true
		c.log.Warn("connection limit reached, closing the longest idle ones",
			fault.Attr(fault.New(fault.TooManyConnections, "accept", "")))
	}
	e := c.idle.Front() // the new one itself, if every other has a request
	victim = c.idle.Remove(e).(net.Conn)
	c.open[victim] = nil
	return victim
}

// awaitFresh waits until connections have a request that came not so long ago.
func (c *connections) awaitFresh(ctx context.Context, young time.Duration) {
	const look = 10 * time.Millisecond
	tick := time.NewTicker(look)
	defer tick.Stop()
	for c.anyFresh(time.Now().Add(-young)) {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// anyFresh reports whether a connection that came after a time has had no request yet.
func (c *connections) anyFresh(after time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, came := range c.fresh {
		if came.After(after) {
			return true
		}
	}
	return false
}

// closeIdle closes every connection without a request in hand.
func (c *connections) closeIdle() {
	c.mu.Lock()
	var idle []net.Conn
	for e := c.idle.Front(); e != nil; e = e.Next() {
		idle = append(idle, e.Value.(net.Conn))
	}
	c.mu.Unlock()
	for _, conn := range idle {
		hangUp(conn)
	}
}
