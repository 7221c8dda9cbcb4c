package http1

import (
	"slices"
	"sync"
	"time"
)

// idleMargin is how long before the server's timeout a connection is no longer used, so that
// no request crosses the close.
const idleMargin = time.Second

// pool keeps idle connections by host, the last used one on top.
type pool struct {
	perHost, most int
	timeout       time.Duration

	mu    sync.Mutex // guards what follows and the pooled fields of idle conns
	hosts map[target][]*conn
	count int
}

// take removes a connection from the pool that seems to be open, nil if there is none.
func (p *pool) take(host target) *conn {
	for {
		c := p.pop(host)
		if c == nil {
			return nil
		}
		c.idle.Stop()
		if time.Now().Before(c.expires) && !c.peek() {
			return c
		}
		c.abort()
	}
}

func (p *pool) pop(host target) *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	idle := p.hosts[host]
	if len(idle) == 0 {
		return nil
	}
	c := idle[len(idle)-1]
	idle[len(idle)-1] = nil
	p.keep(host, idle[:len(idle)-1])
	p.count--
	c.pooled = false
	return c
}

// keep stores a host's connections; a host without any is forgotten.
func (p *pool) keep(host target, idle []*conn) {
	if len(idle) == 0 {
		delete(p.hosts, host)
		return
	}
	p.hosts[host] = idle
}

// put keeps a connection for the next request, or closes it if the pool is full or the server
// keeps it too briefly.
func (p *pool) put(c *conn, announced time.Duration, isAnnounced bool) {
	limit := p.timeout
	if isAnnounced {
		limit = min(limit, announced-min(idleMargin, announced/2))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if limit <= 0 || p.count >= p.most || len(p.hosts[c.host]) >= p.perHost {
		c.abort()
		return
	}
	c.reused, c.pooled = true, true
	c.expires = time.Now().Add(limit)
	if c.idle == nil {
		c.idle = time.AfterFunc(limit, func() { p.expire(c) })
	} else {
		c.idle.Reset(limit)
	}
	p.hosts[c.host] = append(p.hosts[c.host], c)
	p.count++
}

// expire closes a connection that was idle for too long. Its timer may fire just when a request
// takes or returns it.
func (p *pool) expire(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !c.pooled || time.Now().Before(c.expires) {
		return
	}
	p.keep(c.host, slices.DeleteFunc(p.hosts[c.host], func(other *conn) bool { return other == c }))
	p.count--
	c.pooled = false
	c.abort()
}

// clear closes every idle connection.
func (p *pool) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, idle := range p.hosts {
		for _, c := range idle {
			c.idle.Stop()
			c.pooled = false
			c.abort()
		}
	}
	clear(p.hosts)
	p.count = 0
}
