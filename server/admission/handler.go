package admission

import (
	"net/http"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/status"
)

// maxFields bounds the fields of a request's header: requests of the network have a dozen.
const maxFields = 128

// Handler bounds the requests in progress of unproved connections, and the fields of a
// request's header.
func (g *Gate) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if fields(r.Header) > maxFields {
			r.Header = nil // free it: the client may be slow to read the answer
			refuse(w, r, fault.New(fault.HeadersTooMany, "read request", ""))
			return
		}
		c, ok := r.Context().Value(connKey{}).(*Conn)
		if !ok || c.proved.Load() {
			next.ServeHTTP(w, r)
			return
		}
		if !c.enter() {
			r.Header = nil
			refuse(w, r, fault.New(fault.AddressBusy, "take request", ""))
			return
		}
		defer c.exit()
		next.ServeHTTP(w, r)
		if r.ProtoMajor == 2 && !c.proved.Load() {
			// An HTTP/2 stream lasts until its answer was read, and counts until then.
			_ = http.NewResponseController(w).Flush()
		}
	})
}

// fields counts values: each one is a field of the message.
func fields(h http.Header) (n int) {
	for _, values := range h {
		n += len(values)
	}
	return n
}

// refuse answers with err. Over HTTP/2 it sends no body, which would be buffered for a peer
// that does not read it.
func refuse(w http.ResponseWriter, r *http.Request, err error) {
	if r.ProtoMajor == 2 {
		w.WriteHeader(status.Job(err))
		return
	}
	http.Error(w, fault.Wire(err), status.Job(err))
}

// enter counts a request of the connection; false when its address has too many.
func (c *Conn) enter() bool {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	if _, open := c.gate.open[c]; !open || c.proved.Load() {
		return true
	}
	p := c.peer
	if p.requests >= p.limitLocked(requestsPer) || p.countsForSiteLocked() &&
		p.site.requests >= p.site.limitLocked(requestsPer) {
		return false
	}
	p.requests++
	c.requests++
	if p.countsForSiteLocked() {
		p.site.requests++
		c.siteRequests++
	}
	return true
}

// exit ends a request. Requests of a connection that was proved or closed meanwhile no longer
// count.
func (c *Conn) exit() {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	if c.requests == 0 {
		return
	}
	c.requests--
	c.peer.requests--
	if c.siteRequests > 0 { // fewer than requests if the address was known meanwhile
		c.siteRequests--
		c.peer.site.requests--
	}
	if c.requests == 0 {
		c.peer.serveLocked()
		c.peer.site.serveNextLocked()
	}
}
