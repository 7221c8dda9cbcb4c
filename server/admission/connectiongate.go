package admission

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// Gate admits the connections of one listener. Its methods may be called concurrently.
type Gate struct {
	opt Options

	// mu guards what follows, and the fields of peers and connections that name it.
	mu         sync.Mutex
	most       int // connections in all
	perAddress int
	open       map[*Conn]struct{}
	// unproved and proved are the connections without a request in progress, of *Conn,
	// longest idle first.
	unproved, proved *list.List
	// busy are the unproved connections with one, the longest first.
	busy *list.List
	// fresh are those without a request so far.
	fresh map[*Conn]struct{}
	// provedOpen counts the open connections that are proved.
	provedOpen int
	// unprovedSites counts the sites with unproved connections.
	unprovedSites int
	full          bool // the bound was reached
	peers         map[netip.Prefix]*peer
	sites         map[netip.Prefix]*site
	// sweepAt is the number of peers at which those without a connection are dropped.
	sweepAt int
}

// minSweep is the lowest sweepAt.
const minSweep = 1024

// New makes a gate.
func New(opt Options) *Gate {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Take <= 0 {
		opt.Take = 2 * time.Minute
	}
	return &Gate{
		opt: opt, most: opt.Most, perAddress: opt.PerAddress, sweepAt: minSweep,
		open: make(map[*Conn]struct{}), fresh: make(map[*Conn]struct{}), peers: make(map[netip.Prefix]*peer),
		sites: make(map[netip.Prefix]*site), unproved: list.New(), proved: list.New(), busy: list.New(),
	}
}

// SetMost changes the bound of all connections. Connections above a lowered bound are closed
// as new ones arrive.
func (g *Gate) SetMost(most int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.most = most
}

// SetPerAddress changes the bound of one address.
func (g *Gate) SetPerAddress(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.perAddress = n
	for _, p := range g.peers {
		p.serveLocked()
	}
	for _, s := range g.sites {
		s.serveNextLocked()
	}
}

// Connections returns the number of open connections and the bound.
func (g *Gate) Connections() (open, most int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.open), g.most
}

// admit wraps an admitted connection, nil if it is refused. victims must be closed.
func (g *Gate) admit(raw net.Conn) (c *Conn, victims []*Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.peerLocked(raw.RemoteAddr())
	if p.open >= p.limitLocked(1+g.waitingPer()) ||
		p.countsForSiteLocked() && p.site.open >= p.site.limitLocked(1+g.waitingPer()) {
		return nil, nil
	}
	c = &Conn{Conn: raw, gate: g, peer: p, wake: make(chan struct{}, 1), opened: g.opt.Now()}
	g.open[c], g.fresh[c] = struct{}{}, struct{}{}
	c.idle = g.unproved.PushBack(c)
	p.openedLocked(c)
	for over := len(g.open) - max(g.most, 1); over > 0; over-- {
		v := g.evictLocked(c)
		if v == nil {
			break
		}
		victims = append(victims, v)
	}
	if len(victims) > 0 && !g.full {
		g.full = true
		if g.opt.Full != nil {
			g.opt.Full()
		}
	}
	return c, victims
}

// maxScan bounds how many connections of a list are checked for one whose address has more
// than its share. This takes microseconds, less than a new connection's handshake.
const maxScan = 4096

// evictLocked chooses a connection to close for a new one, and removes it from the counts:
// the longest idle one of an address with more than its share; else the longest busy one of
// such an address, as requests that never end must not lock others out; else the longest idle
// unproved one; else one of the address with the most proved ones, as a single token can open
// any number of them. The new one itself is the last choice; nil if there is none.
func (g *Gate) evictLocked(newest *Conn) *Conn {
	for _, e := range []*list.Element{
		overShare(g.unproved), overShare(g.busy), notNewest(newest, g.unproved.Front()), mostProved(g.proved),
		g.unproved.Front(),
	} {
		if e != nil {
			c := e.Value.(*Conn)
			g.forgetLocked(c)
			return c
		}
	}
	return nil
}

// notNewest returns e, or nil where it is the newest connection's.
func notNewest(newest *Conn, e *list.Element) *list.Element {
	if e == nil || e.Value.(*Conn) == newest {
		return nil
	}
	return e
}

// mostProved returns the first connection of the address that has the most proved ones open.
func mostProved(from *list.List) (most *list.Element) {
	for n, at := 0, from.Front(); at != nil && n < maxScan; n, at = n+1, at.Next() {
		if most == nil || at.Value.(*Conn).peer.proved > most.Value.(*Conn).peer.proved {
			most = at
		}
	}
	return most
}

// overShare returns the first of maxScan connections whose address has more than its share, nil
// for none.
func overShare(from *list.List) *list.Element {
	for n, at := 0, from.Front(); at != nil && n < maxScan; n, at = n+1, at.Next() {
		if at.Value.(*Conn).peer.overShareLocked() {
			return at
		}
	}
	return nil
}

// Shed closes one connection because the system lacks descriptors.
func (g *Gate) Shed() {
	g.mu.Lock()
	c := g.evictLocked(nil)
	g.mu.Unlock()
	if c != nil {
		c.hangUp()
	}
}

// forgetLocked removes a connection from every count. It may be called again.
func (g *Gate) forgetLocked(c *Conn) {
	if _, ok := g.open[c]; !ok {
		return
	}
	delete(g.open, c)
	delete(g.fresh, c)
	c.unlistLocked()
	if c.proved.Load() {
		g.provedOpen--
		c.peer.proved--
	} else {
		c.peer.closedLocked(c)
	}
	if len(g.open) < g.most*9/10 {
		g.full = false
	}
}

// changed is an http.Server's ConnState hook.
func (g *Gate) changed(conn net.Conn, state http.ConnState) {
	c := connOf(conn)
	if c == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, ok := g.open[c]; !ok {
		return
	}
	if state != http.StateNew {
		delete(g.fresh, c)
	}
	switch state {
	case http.StateIdle:
		c.listLocked()
		c.answered = g.opt.Now()
	case http.StateActive:
		c.unlistLocked()
		if !c.proved.Load() {
			c.busy = g.busy.PushBack(c)
		}
		if g.opt.HeadersOnly {
			c.peer.releaseLocked(c)
		}
	case http.StateClosed:
		g.forgetLocked(c)
	case http.StateHijacked:
		// It is counted until it is closed: it has its descriptor as before.
	}
}

// WaitFresh waits until every connection younger than young has had a request, or for ctx.
func (g *Gate) WaitFresh(ctx context.Context, young time.Duration) {
	const look = 10 * time.Millisecond
	tick := time.NewTicker(look)
	defer tick.Stop()
	for g.anyFresh(g.opt.Now().Add(-young)) {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// anyFresh reports whether a connection opened after a time has had no request so far.
func (g *Gate) anyFresh(after time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for c := range g.fresh {
		if c.opened.After(after) {
			return true
		}
	}
	return false
}

// flushTime is how long the answer of a connection that became idle may still be on its way: net/http
// reports an HTTP/2 connection as idle before it flushes the last frame.
const flushTime = time.Second

// CloseIdle closes the connections that have had no request in progress for flushTime. net/http
// closes the others at its own Shutdown.
func (g *Gate) CloseIdle() {
	g.mu.Lock()
	before := g.opt.Now().Add(-flushTime)
	var idle []*Conn
	for _, l := range []*list.List{g.unproved, g.proved} {
		for e := l.Front(); e != nil; e = e.Next() {
			if c := e.Value.(*Conn); !c.answered.After(before) {
				idle = append(idle, c)
			}
		}
	}
	g.mu.Unlock()
	for _, c := range idle {
		c.hangUp()
	}
}

// waitingPer returns how many connections of an address may wait for each that is served.
func (g *Gate) waitingPer() int {
	if g.opt.HeadersOnly {
		return idlePer
	}
	return waitingPer
}
