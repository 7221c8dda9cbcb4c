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

// Gate admits the connections of one listener. Its methods may be called at the same
// time.
type Gate struct {
	opt Options

	// mu guards what follows, and what peers and connections say it guards.
	mu         sync.Mutex
	most       int
	perAddress int
	open       map[*Conn]struct{}
	// unproved and proved are the connections without a request in progress, of *Conn,
	// longest idle first.
	unproved, proved *list.List
	// busy are the unproved connections with one, the longest first.
	busy *list.List
	// fresh are those that have had no request yet.
	fresh map[*Conn]struct{}
	// provedOpen counts the open connections that are proved.
	provedOpen int
	// strangers counts the networks that have others.
	strangers int
	full      bool // the bound was reached and not yet left
	peers     map[netip.Prefix]*peer
	sites     map[netip.Prefix]*site
	// sweepAt is the number of peers at which those without a connection are dropped.
	sweepAt int
}

// minSweep is the least number of addresses that are remembered.
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

// SetMost changes the bound of all connections. Those above a lowered one are closed as
// new ones come.
func (g *Gate) SetMost(most int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.most = most
}

// SetPerAddress changes what one address may do.
func (g *Gate) SetPerAddress(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.perAddress = n
	for _, p := range g.peers {
		p.serve()
	}
	for _, s := range g.sites {
		s.next()
	}
}

// Connections is how many are open, and how many may be.
func (g *Gate) Connections() (open, most int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.open), g.most
}

// admit makes a connection the gate's, nil where it is not taken. victims must be closed.
func (g *Gate) admit(raw net.Conn) (c *Conn, victims []*Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.peerOf(raw.RemoteAddr())
	if p.open >= p.limit(1+g.waitingPer()) || p.shares() && p.site.open >= p.site.limit(1+g.waitingPer()) {
		return nil, nil
	}
	c = &Conn{Conn: raw, gate: g, peer: p, wake: make(chan struct{}, 1), came: g.opt.Now()}
	g.open[c], g.fresh[c] = struct{}{}, struct{}{}
	c.idle = g.unproved.PushBack(c)
	p.opened(c)
	for over := len(g.open) - max(g.most, 1); over > 0; over-- {
		v := g.victim(c)
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

// lookedAt is how many connections of a list are looked at for one whose address has
// more than its share. It takes microseconds, and a new connection's handshake longer.
const lookedAt = 4096

// victim takes a connection out of the gate's count that makes room for a new one: the
// longest idle one of an address with more than its share, else the longest busy one of
// such an address, which would keep all others out with requests that never end; else
// the longest idle one of those that have proved nothing, else of the address with the
// most idle proved ones, which a single token can open in any number. The new one itself
// is the last choice; nil where there is none. The caller holds mu and closes it.
func (g *Gate) victim(newest *Conn) *Conn {
	for _, e := range []*list.Element{
		greedy(g.unproved), greedy(g.busy), otherThan(newest, g.unproved.Front()), mostProved(g.proved), g.unproved.Front(),
	} {
		if e != nil {
			c := e.Value.(*Conn)
			g.forget(c)
			return c
		}
	}
	return nil
}

// otherThan is an element unless it is the newest connection's.
func otherThan(newest *Conn, e *list.Element) *list.Element {
	if e == nil || e.Value.(*Conn) == newest {
		return nil
	}
	return e
}

// mostProved is the first connection of the address that has the most proved ones open.
func mostProved(from *list.List) (most *list.Element) {
	for n, at := 0, from.Front(); at != nil && n < lookedAt; n, at = n+1, at.Next() {
		if most == nil || at.Value.(*Conn).peer.proved > most.Value.(*Conn).peer.proved {
			most = at
		}
	}
	return most
}

// greedy is the first connection whose address has more than its share, nil where none
// of those that are looked at is one.
func greedy(from *list.List) *list.Element {
	for n, at := 0, from.Front(); at != nil && n < lookedAt; n, at = n+1, at.Next() {
		if at.Value.(*Conn).peer.greedy() {
			return at
		}
	}
	return nil
}

// Shed closes the connection that is the first to go, for want of descriptors.
func (g *Gate) Shed() {
	g.mu.Lock()
	c := g.victim(nil)
	g.mu.Unlock()
	if c != nil {
		c.hangUp()
	}
}

// forget ends a connection's part in every count. It may be called again. The caller
// holds mu.
func (g *Gate) forget(c *Conn) {
	if _, ok := g.open[c]; !ok {
		return
	}
	delete(g.open, c)
	delete(g.fresh, c)
	c.unlist()
	if c.proved.Load() {
		g.provedOpen--
		c.peer.proved--
	} else {
		c.peer.left(c)
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
		c.list()
	case http.StateActive:
		c.unlist()
		if !c.proved.Load() {
			c.busy = g.busy.PushBack(c)
		}
		if g.opt.HeadersOnly {
			c.peer.release(c)
		}
	case http.StateClosed, http.StateHijacked:
		g.forget(c)
	}
}

// AwaitFresh waits until no connection that came shortly ago is without a request, or
// for ctx.
func (g *Gate) AwaitFresh(ctx context.Context, young time.Duration) {
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

// anyFresh reports whether a connection that came after a time has had no request yet.
func (g *Gate) anyFresh(after time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for c := range g.fresh {
		if c.came.After(after) {
			return true
		}
	}
	return false
}

// CloseIdle closes every connection without a request in progress.
func (g *Gate) CloseIdle() {
	g.mu.Lock()
	var idle []*Conn
	for _, l := range []*list.List{g.unproved, g.proved} {
		for e := l.Front(); e != nil; e = e.Next() {
			idle = append(idle, e.Value.(*Conn))
		}
	}
	g.mu.Unlock()
	for _, c := range idle {
		c.hangUp()
	}
}

// waitingPer is how many connections of an address may wait for each that is served.
func (g *Gate) waitingPer() int {
	if g.opt.HeadersOnly {
		return idlePer
	}
	return waitingPer
}
