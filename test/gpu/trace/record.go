package trace

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Trace is all that was recorded of a program.
type Trace struct {
	// Refused is why there is no record, "" where there is one.
	Refused string `json:"refused,omitempty"`
	// Phases are in order of time. A phase ends when the program has loaded a filter of
	// system calls: what precedes the first is Opening, what follows the last Serving. A
	// media worker's driver is opened in Entering.
	Phases []Phase `json:"phases"`
}

// Names of phases. Entering is between two filters.
const (
	Opening  = "opening"
	Entering = "entering"
	Serving  = "serving"
)

// Phase is a part of a program's life.
type Phase struct {
	Name string `json:"name"`
	// Calls are by name.
	Calls map[string]*Call `json:"calls"`
	// Files are the paths that were given to the system.
	Files []Event `json:"files"`
	// Requests are what was asked of devices by ioctl: the path is the device, the
	// detail the request's number.
	Requests []Event `json:"requests"`
	// Starts are new threads, processes and programs.
	Starts []Event `json:"starts"`
	// Network is sockets, and their addresses.
	Network []Event `json:"network"`
}

// Call is a system call by all threads.
type Call struct {
	// Count is how often it was made, Errors how often it ended with an error.
	Count  int            `json:"count"`
	Errors map[string]int `json:"errors,omitempty"`
	// Operations are counts by the argument that selects what a call does, for those
	// that have one.
	Operations map[string]int `json:"operations,omitempty"`
}

// Event is what was done with something that has a name, and how often it ended so.
type Event struct {
	Call   string `json:"call"`
	Path   string `json:"path,omitempty"`
	Detail string `json:"detail,omitempty"`
	// Result is "ok", or the error's name.
	Result string `json:"result"`
	Count  int    `json:"count"`
}

// OK is the result of what was not refused.
const OK = "ok"

// Phase is the named part of a trace, an empty one where it has none. Entering may
// be several.
func (t Trace) Phase(name string) Phase {
	for _, p := range t.Phases {
		if p.Name == name {
			return p
		}
	}
	return Phase{Name: name}
}

// Names are the system calls of a phase, sorted.
func (p Phase) Names() []string { return slices.Sorted(maps.Keys(p.Calls)) }

// Total is how many system calls a phase has, of all names or of those that are given.
func (p Phase) Total(names ...string) int {
	n := 0
	for name, c := range p.Calls {
		if len(names) == 0 || slices.Contains(names, name) {
			n += c.Count
		}
	}
	return n
}

// Succeeded is how often a call ended without an error, or has not ended.
func (p Phase) Succeeded(name string) int {
	c, ok := p.Calls[name]
	if !ok {
		return 0
	}
	n := c.Count
	for _, failed := range c.Errors {
		n -= failed
	}
	return n
}

// Refusals are the calls that ended with one of the named errors, by name.
func (p Phase) Refusals(errors ...string) map[string]int {
	out := make(map[string]int)
	for name, c := range p.Calls {
		for _, e := range errors {
			if n := c.Errors[e]; n > 0 {
				out[name+" "+e] += n
			}
		}
	}
	return out
}

// recorder collects the record of a program that runs.
type recorder struct {
	mu     sync.Mutex // covers what follows
	reason string
	phases []*phase
}

type kind int

const (
	file kind = iota
	request
	start
	network
	kinds
)

type phase struct {
	calls  map[string]*Call
	events [kinds]map[Event]int
}

func newRecorder() *recorder {
	r := &recorder{}
	r.next()
	return r
}

// next begins a phase.
func (r *recorder) next() {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := &phase{calls: make(map[string]*Call)}
	for k := range p.events {
		p.events[k] = make(map[Event]int)
	}
	r.phases = append(r.phases, p)
}

func (r *recorder) refused(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reason = err.Error()
}

// begun counts a call, which may never return, and returns its phase.
func (r *recorder) begun(name, operation string) *phase {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.phases[len(r.phases)-1]
	c := p.calls[name]
	if c == nil {
		c = &Call{Errors: make(map[string]int), Operations: make(map[string]int)}
		p.calls[name] = c
	}
	c.Count++
	if operation != "" {
		c.Operations[operation]++
	}
	return p
}

// ended records how a call of a phase ended, and what it was about.
func (r *recorder) ended(p *phase, name, result string, about []subject) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if result != OK {
		p.calls[name].Errors[result]++
	}
	for _, a := range about {
		p.events[a.kind][Event{Call: name, Path: a.path, Detail: a.detail, Result: result}]++
	}
}

// subject is what a call is about.
type subject struct {
	kind         kind
	path, detail string
}

func (r *recorder) trace() Trace {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := Trace{Refused: r.reason}
	for i, p := range r.phases {
		name := Entering
		switch i {
		case 0:
			name = Opening
		case len(r.phases) - 1:
			name = Serving
		}
		calls := make(map[string]*Call, len(p.calls))
		for n, c := range p.calls {
			calls[n] = &Call{Count: c.Count, Errors: maps.Clone(c.Errors), Operations: maps.Clone(c.Operations)}
		}
		t.Phases = append(t.Phases, Phase{
			Name: name, Calls: calls, Files: list(p.events[file]), Requests: list(p.events[request]),
			Starts: list(p.events[start]), Network: list(p.events[network]),
		})
	}
	return t
}

func list(events map[Event]int) []Event {
	out := make([]Event, 0, len(events))
	for e, n := range events {
		e.Count = n
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b Event) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Call, b.Call),
			strings.Compare(a.Detail, b.Detail), strings.Compare(a.Result, b.Result))
	})
	return out
}
