package videorouting

import (
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

const (
	// manyClients is how many clients must have met failures, or false results, in a row for them
	// to count for all: their media may be the cause.
	manyClients = 3
	// maxClients bounds the clients tracked per orchestrator.
	maxClients = 64
)

// Shared is what a gateway's streams know together of failing orchestrators, from the view of one
// client's streams. It is safe for concurrent use.
type Shared struct {
	all    *Suspensions
	client string
}

// For returns the view of a client. For the client "" everything counts for all.
func (s *Suspensions) For(client string) Shared { return Shared{all: s, client: client} }

// Suspend records a failure that the client's input may have caused.
func (v Shared) Suspend(id Identity, now time.Time) {
	v.all.change(id, now, func(r *record) {
		first := true
		r.update(v.client, func(e *suspension) {
			first = !e.counted
			e.suspend(now)
			e.counted = true
		})
		if v.client != "" && first && r.number(func(e *suspension) bool { return e.counted }) >= manyClients {
			r.suspend(now)
		}
	})
}

// Bar records a false result that the client's input may have caused.
func (v Shared) Bar(id Identity, now time.Time) {
	v.all.change(id, now, func(r *record) {
		r.update(v.client, func(e *suspension) {
			e.bar(now)
			e.lied = true
		})
		if v.client != "" && r.number(func(e *suspension) bool { return e.lied }) >= manyClients {
			r.bar(now)
			r.recount()
		}
	})
}

// recount resets the per-client count: an orchestrator that returns false results again is barred
// for all again, and for longer.
func (r *record) recount() {
	for client, e := range r.clients {
		e.lied = false
		r.clients[client] = e
	}
}

// update changes the record of a client, or the common one.
func (r *record) update(client string, f func(*suspension)) {
	if client == "" {
		f(&r.suspension)
		return
	}
	e, known := r.clients[client]
	if !known && len(r.clients) >= maxClients {
		r.forgetOne()
	}
	f(&e)
	r.clients[client] = e
}

// number counts the clients for which holds is true.
func (r *record) number(holds func(*suspension) bool) (n int) {
	for _, e := range r.clients {
		if holds(&e) {
			n++
		}
	}
	return n
}

// forgetOne drops the client whose suspension ends first.
func (r *record) forgetOne() {
	var first string
	var until time.Time
	for client, e := range r.clients {
		if until.IsZero() || e.until.Before(until) {
			first, until = client, e.until
		}
	}
	delete(r.clients, first)
}

// Explain records the reason of a suspension for status pages.
func (v Shared) SetReason(id Identity, code fault.Code) {
	v.all.SetReason(id, code)
	v.all.mu.Lock()
	defer v.all.mu.Unlock()
	for _, k := range id.keys() {
		r := v.all.m[k]
		if r == nil {
			continue
		}
		if e, known := r.clients[v.client]; known {
			e.code = code
			r.clients[v.client] = e
		}
	}
}

// Clear records a success of the client. False results are not forgiven.
func (v Shared) Clear(id Identity) { v.all.clear(id, v.client) }

// Until returns when the suspension for the client ends; the zero time without one.
func (v Shared) Until(id Identity, now time.Time) time.Time { return v.all.until(id, v.client, now) }

// Barred reports whether an orchestrator is barred for the client.
func (v Shared) Barred(id Identity, now time.Time) bool { return v.all.barred(id, v.client, now) }
