package videorouting

import (
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

const (
	// manyClients is how many clients must have met failures, or lies, in a row for them to
	// count for all: their media may be the cause.
	manyClients = 3
	// maxClients bounds the clients that are remembered of one orchestrator.
	maxClients = 64
)

// Shared is what a gateway's streams know together of failing orchestrators, as seen by the
// streams of one client. It is safe for concurrent use.
type Shared struct {
	all    *Suspensions
	client string
}

// For is the view of a client, by what the gateway knows itself. The client "" is none: all
// that it meets counts for all.
func (s *Suspensions) For(client string) Shared { return Shared{all: s, client: client} }

// Suspend records a failure that may lie in what the client sent.
func (v Shared) Suspend(who Identity, now time.Time) {
	v.all.change(who, now, func(r *record) {
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

// Bar records a lie that may be none, of work on what the client sent.
func (v Shared) Bar(who Identity, now time.Time) {
	v.all.change(who, now, func(r *record) {
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

// recount has lies count for all once more: an orchestrator that lies again to clients that
// know it is barred for all again, and for longer.
func (r *record) recount() {
	for client, e := range r.clients {
		e.lied = false
		r.clients[client] = e
	}
}

// update changes what is known for a client, or for all.
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

// number is how many clients something holds for.
func (r *record) number(holds func(*suspension) bool) (n int) {
	for _, e := range r.clients {
		if holds(&e) {
			n++
		}
	}
	return n
}

// forgetOne forgets the client whose suspension ends first.
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

// Explain keeps the reason of a suspension, for those who look.
func (v Shared) Explain(who Identity, code fault.Code) {
	v.all.Explain(who, code)
	v.all.mu.Lock()
	defer v.all.mu.Unlock()
	for _, k := range who.keys() {
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

// Clear records a success of the client. A lie is not forgotten for it.
func (v Shared) Clear(who Identity) { v.all.clear(who, v.client) }

// Until is when the suspension ends for the client; the zero time when there is none.
func (v Shared) Until(who Identity, now time.Time) time.Time { return v.all.until(who, v.client, now) }

// Barred reports whether an orchestrator lied and is not to be used for the client at all.
func (v Shared) Barred(who Identity, now time.Time) bool { return v.all.barred(who, v.client, now) }
