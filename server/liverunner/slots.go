package liverunner

import (
	"container/list"
	"context"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/liverunner"
)

// DefaultRequests is the default of Options.Requests.
const DefaultRequests = 12288

var errBusy = &liverunner.Refusal{
	Reason: liverunner.Full,
	Text:   "too many requests of live work are in progress",
}

// slots bounds the requests in progress of all clients: each may last for hours, and holds connections to
// its client and to a runner. When all slots are taken, a client with fewer than another one gets the slot
// that the other one has had for longest. A client is counted by its address, and with its site, as on the
// listener. Safe for concurrent use.
type slots struct {
	mu sync.Mutex
	// All below is guarded by mu.
	most, taken int
	clients     map[netip.Prefix]*client
	sites       map[netip.Prefix]int
}

// client is an address with requests in progress.
type client struct {
	address, site netip.Prefix
	// held are its slots, of *slot, the longest first.
	held *list.List
}

// slot is that of one request.
type slot struct {
	client *client
	at     *list.Element
	// end ends the request, ended is closed when it was called; nil while the slot is held.
	end   func()
	ended chan struct{}
}

func newSlots(most int) *slots {
	return &slots{most: most, clients: make(map[netip.Prefix]*client), sites: make(map[netip.Prefix]int)}
}

func (p *slots) set(most int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.most = most
}

// take takes a slot for a request of an address, nil if there is none. end is called once if another client
// takes the slot over, and never after give.
func (p *slots) take(remote string, end func()) *slot {
	at, _ := netip.ParseAddrPort(remote) // without one all count as the same client
	address, site := core.PeerOf(at.Addr()), core.PeerSiteOf(at.Addr())
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken >= p.most && !p.displaceLocked(address, site) {
		return nil
	}
	c := p.clients[address]
	if c == nil {
		c = &client{address: address, site: site, held: list.New()}
		p.clients[address] = c
	}
	pl := &slot{client: c, end: end}
	pl.at = c.held.PushBack(pl)
	p.taken++
	p.sites[site]++
	return pl
}

// displaceLocked ends the oldest request of the client with most, of the site with most, if the address would
// still have fewer.
func (p *slots) displaceLocked(address, site netip.Prefix) bool {
	var most *client
	for _, c := range p.clients {
		if most == nil || p.sites[c.site] > p.sites[most.site] ||
			p.sites[c.site] == p.sites[most.site] && c.held.Len() > most.held.Len() {
			most = c
		}
	}
	own := 0
	if c := p.clients[address]; c != nil {
		own = c.held.Len()
	}
	switch {
	case most == nil:
		return false
	case most.site == site && own+1 >= most.held.Len(),
		most.site != site && p.sites[site]+1 >= p.sites[most.site]:
		return false
	}
	pl := most.held.Front().Value.(*slot)
	p.removeLocked(pl)
	pl.ended = make(chan struct{})
	go func() {
		defer close(pl.ended)
		pl.end()
	}()
	return true
}

func (p *slots) removeLocked(pl *slot) {
	c := pl.client
	c.held.Remove(pl.at)
	if c.held.Len() == 0 {
		delete(p.clients, c.address)
	}
	p.taken--
	if p.sites[c.site]--; p.sites[c.site] == 0 {
		delete(p.sites, c.site)
	}
}

// give gives a slot back.
func (p *slots) give(pl *slot) {
	p.mu.Lock()
	ended := pl.ended
	if ended == nil {
		p.removeLocked(pl)
	}
	p.mu.Unlock()
	if ended != nil {
		<-ended
	}
}

// serve serves a request that has a slot, until it loses it.
func (p *slots) serve(w http.ResponseWriter, r *http.Request, next func(http.ResponseWriter, *http.Request)) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	rc := http.NewResponseController(w)
	pl := p.take(r.RemoteAddr, func() {
		cancel()
		_ = rc.SetReadDeadline(time.Unix(1, 0))
		_ = rc.SetWriteDeadline(time.Unix(1, 0))
	})
	if pl == nil {
		refuse(w, errBusy)
		return
	}
	defer p.give(pl)
	next(w, r.WithContext(ctx))
}

// SetRequests changes the bound of the requests in progress. Those beyond a lowered one go on.
func (s *Server) SetRequests(most int) { s.slots.set(most) }
