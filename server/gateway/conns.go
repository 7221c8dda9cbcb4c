package gateway

import (
	"container/list"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// maxConnections bounds connections where the system would allow more.
const maxConnections = 25000

// idleConns closes the connection that has been idle for longest when there are
// too many, so that clients with something to say always find room. It is a
// server's ConnState hook.
type idleConns struct {
	limit atomic.Int64

	mu   sync.Mutex
	open int
	idle *list.List // of net.Conn, longest idle first
	at   map[net.Conn]*list.Element
}

func newIdleConns(limit int) *idleConns {
	c := &idleConns{idle: list.New(), at: make(map[net.Conn]*list.Element)}
	c.limit.Store(int64(limit))
	return c
}

// SetConnections changes the bound of connections; those above a lowered one go as new
// ones come. 0 and what the system does not allow are taken as at the start.
func (g *Gateway) SetConnections(most int) {
	if most <= 0 {
		most = openFiles() * 8 / 10
	}
	g.conns.limit.Store(int64(most))
}

func (c *idleConns) track(conn net.Conn, state http.ConnState) {
	if victim := c.note(conn, state); victim != nil {
		victim.Close()
	}
}

// note records a change and returns a connection to close. A new connection
// counts as idle until its first request is there.
func (c *idleConns) note(conn net.Conn, state http.ConnState) net.Conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.at[conn]; e != nil {
		c.idle.Remove(e)
		delete(c.at, conn)
	}
	switch state {
	case http.StateNew:
		c.open++
		c.at[conn] = c.idle.PushBack(conn)
	case http.StateIdle:
		c.at[conn] = c.idle.PushBack(conn)
	case http.StateClosed, http.StateHijacked:
		c.open--
	case http.StateActive:
	}
	if int64(c.open) <= c.limit.Load() || c.idle.Len() == 0 {
		return nil
	}
	victim := c.idle.Remove(c.idle.Front()).(net.Conn)
	delete(c.at, victim)
	return victim
}
