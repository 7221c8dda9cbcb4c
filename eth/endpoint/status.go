package endpoint

import (
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// State is the usability of an endpoint in one word.
type State string

// The states of an endpoint.
const (
	// Untried: it got no request yet.
	Untried State = "untried"
	// Serving: it answers.
	Serving State = "serving"
	// Lagging: it answers, and is far behind the others.
	Lagging State = "lagging"
	// Limited: it asked for fewer requests.
	Limited State = "limited"
	// Failing: it does not answer correctly, and is tried again after a back-off.
	Failing State = "failing"
	// Refused: it serves another chain, refuses our key, or gave a false answer.
	Refused State = "refused"
)

// EndpointStatus is one endpoint at one moment.
type EndpointStatus struct {
	// Name is scheme, host and port.
	Name  string
	State State
	Head  protocol.L2Block
	// Lag is how many blocks it is behind the newest.
	Lag uint64
	// ErrorRate is the share of recently failed requests, from 0 to 1.
	ErrorRate float64
	// Latency is the moving average, P95 what 95 of 100 answers stayed under.
	Latency, P95 time.Duration
	// Open: the breaker keeps requests away until Until.
	Open  bool
	Until time.Time
	// Code and Detail are the last failure's; empty after a success.
	Code   fault.Code
	Detail string
	// Subscribed: a websocket notifies of new heads.
	Subscribed bool
	// LogSpan is how many blocks one log request covers.
	LogSpan uint64
}

// Status is the client at one moment.
type Status struct {
	ChainID uint64
	// Head is the newest head given out.
	Head      protocol.Head
	Endpoints []EndpointStatus
}

// Status returns the state of all endpoints, in the operator's order, for pages and metrics. It sends no request.
func (p *Pool) Status() Status {
	head, _ := p.Known()
	out := Status{ChainID: p.ChainID(), Head: head}
	for _, r := range p.remotes {
		out.Endpoints = append(out.Endpoints, r.status(p.newest(), p.opt.Now()))
	}
	return out
}

func (r *remote) status(newest protocol.L2Block, now time.Time) EndpointStatus {
	subscribed := false
	if n, ok := r.transport.(notifier); ok {
		subscribed = n.subscribed()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s := EndpointStatus{
		Name: r.addr.name, State: r.stateLocked(newest), Head: r.lastHeight, Lag: lag(newest, r.lastHeight),
		ErrorRate: r.errors, Latency: time.Duration(r.latency * float64(time.Millisecond)), P95: r.p95(),
		Open: r.open() && now.Before(r.until), Subscribed: subscribed, LogSpan: r.spans.next(),
	}
	if s.Open {
		s.Until = r.until
	}
	if r.quarantinedLocked(now) {
		s.State, s.Open, s.Until, s.Code, s.Detail = Refused, true, r.quarantinedUntil, fault.RPCContradicted,
			r.quarantineReason
	} else if r.last != nil {
		s.Code, s.Detail = codes[r.last.kind], r.last.detail
	}
	return s
}

// stateLocked returns the state in one word.
func (r *remote) stateLocked(newest protocol.L2Block) State {
	switch {
	case !r.tried:
		return Untried
	case r.last != nil && r.last.permanent():
		return Refused
	case r.last != nil && r.last.kind == throttled:
		return Limited
	case r.open() || r.last != nil && r.verifiedAt.IsZero():
		return Failing
	case lagging(newest, r.lastHeight):
		return Lagging
	}
	return Serving
}
