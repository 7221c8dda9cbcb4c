package worker

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// Link is one orchestrator, for whoever works for it. It lives as long as its loop,
// over all registrations. Safe for concurrent use.
type Link struct {
	o              *Options
	addr, instance string
	tasks          *tasks
	http           *http.Transport
	// base is what tasks descend from; it is set before the first notice.
	base context.Context
	// number is the link's among those of its loop, from 1. forgets has the work end what
	// it keeps for the orchestrator; see Keeper.
	number  int
	forgets func(*Link)

	mu     sync.Mutex // covers the fields below
	status Status
	own    bool
	// place is what the orchestrator calls the worker's place, "" where it says nothing.
	place string
	// origin is where it was reached last.
	origin Origin
	leaves bool
	// used is when a result was last taken there.
	used time.Time
}

func newLink(o *Options, addr, instance string) *Link {
	return &Link{o: o, addr: addr, instance: instance, number: 1, tasks: newTasks(o.MaxTasks), http: o.transport(addr),
		status: Status{Addr: addr, State: Connecting, Since: o.Now()}}
}

// Number tells the links of a loop apart, from 1: what two orchestrators call the same
// need not be the same.
func (l *Link) Number() int { return l.number }

// maxParty is longer than an orchestrator's name for a gateway.
const maxParty = 64

// Party is who is held to account here for what the orchestrator has done for a gateway
// that it calls so, which is another one than another orchestrator's of the same name. It
// is "" where the orchestrator names none.
func (l *Link) Party(name string) string {
	if name == "" {
		return ""
	}
	return strconv.Itoa(l.number) + " " + name[:min(len(name), maxParty)]
}

// forget ends what is kept for the orchestrator.
func (l *Link) forget() {
	if l.forgets != nil {
		l.forgets(l)
	}
}

// placed reports whether the orchestrator says which place the worker has there.
func (l *Link) placed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.place != ""
}

// Addr is the orchestrator's host:port.
func (l *Link) Addr() string { return l.addr }

// Own says that the orchestrator is of our own kind, as far as is known yet.
func (l *Link) Own() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.own
}

// Draining says that the worker takes leave: it should take nothing new.
func (l *Link) Draining() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.leaves
}

// Start runs a task of the orchestrator's. Its ctx ends when nobody waits for the
// result any more, by Cancel or because the process stops; not when a registration
// ends. With as many tasks as may be it waits.
// Orchestrators of our own kind send a task again that may have been lost with its
// connection, and their numbers are never used twice: one that runs is left alone. False
// says that f will not run, for that reason or because the process stops.
func (l *Link) Start(id int64, f func(ctx context.Context)) bool {
	if l.Own() && l.tasks.has(id) {
		return false
	}
	return l.tasks.start(l.base, id, f)
}

// Cancel ends the ctx of a task; one that does not run is nothing.
func (l *Link) Cancel(id int64) { l.tasks.cancel(id) }

// Go runs what is no task but has to end before the loop does.
func (l *Link) Go(f func(ctx context.Context)) { l.tasks.all.Go(func() { f(l.base) }) }

// Status is what an operator sees of a registration.
type Status struct {
	// Addr is the orchestrator's host:port.
	Addr string
	// State is one of those below, Since when it is.
	State string
	Since time.Time
	// Node is what the orchestrator says that it is, "tutti/1.2.3"; "" for others.
	Node string
	// Code and Reason say why it is not registered, or why it was not of late.
	Code   fault.Code
	Reason string
	// Tasks run for it now.
	Tasks int
	// Next is the next attempt to register, zero when none is to come.
	Next time.Time
}

// The states of Status.
const (
	Connecting = "connecting"
	Registered = "registered"
	Waiting    = "waiting"
	Draining   = "draining"
	Left       = "left"
	// Refused for good: the orchestrator wants no further attempt.
	Refused = "refused"
)

func (l *Link) view() Status {
	l.mu.Lock()
	s := l.status
	l.mu.Unlock()
	s.Tasks = l.tasks.number()
	return s
}

// becomes changes the state.
func (l *Link) becomes(state string, change func(*Status)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.status.State != state {
		l.status.State, l.status.Since = state, l.o.Now()
	}
	l.status.Next = time.Time{}
	if change != nil {
		change(&l.status)
	}
}
