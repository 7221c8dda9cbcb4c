package worker

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// Link is one orchestrator, as the Work sees it. It outlives single registrations and
// lasts as long as its loop. Safe for concurrent use.
type Link struct {
	o              *Options
	addr, instance string
	tasks          *tasks
	http           *http.Transport
	// base is the parent context of tasks; it is set before the first notification.
	base context.Context
	// number is the link's index in its loop, from 1. onForget drops the Work's state for
	// the orchestrator; see Forgetter.
	number   int
	onForget func(*Link)
	// started gets a value when a task starts.
	started chan struct{}

	mu      sync.Mutex // covers the fields below
	status  Status
	isTutti bool
	// registrationID is the orchestrator's id of this registration, "" when it sends none.
	registrationID string
	// origin is where the orchestrator was last reached.
	origin   Origin
	draining bool
	// lastUsed is when a result was last posted.
	lastUsed time.Time
}

func newLink(o *Options, addr, instance string) *Link {
	return &Link{o: o, addr: addr, instance: instance, number: 1, tasks: newTasks(o.MaxTasks), http: o.transport(addr),
		started: make(chan struct{}, 1),
		status:  Status{Addr: addr, State: Connecting, Since: o.Now()}}
}

// Number tells the links of a loop apart, from 1: ids of two orchestrators may collide.
func (l *Link) Number() int { return l.number }

// maxParty is longer than an orchestrator's name for a gateway.
const maxParty = 64

// Party identifies a gateway that the orchestrator calls name, apart from another orchestrator's
// gateway of the same name. It is "" when the orchestrator names none.
func (l *Link) Party(name string) string {
	if name == "" {
		return ""
	}
	return strconv.Itoa(l.number) + " " + name[:min(len(name), maxParty)]
}

// forget drops the Work's state for the orchestrator.
func (l *Link) forget() {
	if l.onForget != nil {
		l.onForget(l)
	}
}

// hasRegistrationID reports whether the orchestrator sent an id of the registration.
func (l *Link) hasRegistrationID() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.registrationID != ""
}

// Addr returns the orchestrator's host:port.
func (l *Link) Addr() string { return l.addr }

// IsTutti reports whether the orchestrator is a tutti node, as far as is known yet.
func (l *Link) IsTutti() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.isTutti
}

// Draining reports whether the worker drains and must not accept new tasks.
func (l *Link) Draining() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.draining
}

// Start runs a task of the orchestrator. Its ctx ends by Cancel or when the process stops,
// not when a registration ends. At the limit of concurrent tasks Start waits.
// A tutti orchestrator resends a task that may have been lost with its connection, and
// never reuses a task id, so a task that already runs is not started again. False means
// that f will not run, for that reason or because the process stops.
func (l *Link) Start(id int64, f func(ctx context.Context)) bool {
	if l.IsTutti() && l.tasks.has(id) {
		return false
	}
	select {
	case l.started <- struct{}{}:
	default: // the connection for results is about to be opened
	}
	return l.tasks.start(l.base, id, f)
}

// Cancel ends the ctx of a task; an unknown id is ignored.
func (l *Link) Cancel(id int64) { l.tasks.cancel(id) }

// Go runs a function that is not a task, which the loop waits for.
func (l *Link) Go(f func(ctx context.Context)) { l.tasks.all.Go(func() { f(l.base) }) }

// Status is the state of a registration for the operator.
type Status struct {
	// Addr is the orchestrator's host:port.
	Addr string
	// State is one of the constants below; Since is when it began.
	State string
	Since time.Time
	// Node is the release of a tutti orchestrator, "tutti/1.2.3"; "" for others.
	Node string
	// Code and Reason are why it is not registered, or was not recently.
	Code   fault.Code
	Reason string
	// Tasks run for it now.
	Tasks int
	// Next is the next attempt to register, zero when none is planned.
	Next time.Time
}

// The states of Status.
const (
	Connecting = "connecting"
	Registered = "registered"
	Waiting    = "waiting"
	Draining   = "draining"
	Left       = "left"
	// Refused permanently: no further attempt is made.
	Refused = "refused"
)

func (l *Link) snapshot() Status {
	l.mu.Lock()
	s := l.status
	l.mu.Unlock()
	s.Tasks = l.tasks.active()
	return s
}

// setState changes the state.
func (l *Link) setState(state string, change func(*Status)) {
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
