package txmgr

import (
	"bytes"
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/journal"
)

// request is a Send on its way into the lane, and afterwards who waits for the
// transaction.
type request struct {
	intent Intent
	call   journal.Call
	opt    protocol.SendOptions
	// gas is what the simulation asked for; 0 only asks whether the Once text is free.
	// limit is what it is sent with.
	gas, limit protocol.Gas
	// tried is when the intent was simulated.
	tried time.Time
	// left is closed when the caller is gone; nil for an heir.
	left    <-chan struct{}
	answers chan reply // holds one
	// withdrawn and claimed exclude one another: who is first sets fate.
	fate atomic.Int32
	// placed is closed when id can be looked up; nil for an heir.
	placed chan struct{}
	// id is the transaction that the request became or follows; 0 before.
	id atomic.Uint64
	// heirOf is the transaction whose action is done again, and waiters are those
	// who waited for it.
	heirOf  *flight
	waiters []*request
}

// The fates of a request. A caller that leaves takes it back; the lane claims it
// before it signs. One of the two comes first, so that a caller who is told of no
// transaction can rely on there being none.
const (
	waiting int32 = iota
	claimed
	withdrawn
)

// claim makes the request one that will be signed; false when it was withdrawn.
func (r *request) claim() bool { return !r.gone() && r.fate.CompareAndSwap(waiting, claimed) }

// withdraw makes the request one that is never signed; false when it was claimed.
func (r *request) withdraw() bool { return r.fate.CompareAndSwap(waiting, withdrawn) }

// reply is what becomes of a request. free: the Once text has no transaction.
type reply struct {
	tx   protocol.Transaction
	err  error
	free bool
}

func (r *request) reply(a reply) {
	select {
	case r.answers <- a:
	default: // it has one already
	}
}

// gone reports whether the caller left.
func (r *request) gone() bool {
	select {
	case <-r.left:
		return true
	default:
		return false
	}
}

// present are the requests whose callers did not leave.
func present(rs []*request) []*request { return slices.DeleteFunc(rs, (*request).gone) }

// freeze copies an intent: its bytes are signed later, maybe several times.
func freeze(in Intent) journal.Call {
	c := journal.Call{Verb: in.Name(), About: in.Describe(), Addr: in.To(), Input: bytes.Clone(in.Data())}
	c.Wei = weiOf(in.Value()).Big()
	return c
}

// Send submits the intent and waits until it is mined, or until ctx ends; then the
// transaction, if it is sent already, goes on and the error is ctx's. What the
// contract refuses, or the account cannot pay, is refused before anything is
// spent. While the price is above the bound, Send waits; see protocol.SendOptions.
func (m *Manager) Send(ctx context.Context, in Intent, opt protocol.SendOptions) (protocol.Transaction, error) {
	call := freeze(in)
	if opt.Once != "" {
		a := m.ask(ctx, &request{intent: in, call: call, opt: opt})
		if !a.free {
			return a.tx, a.err
		}
	}
	gas, refused, err := m.simulate(ctx, in, call, opt.Gas)
	if refused != nil {
		return protocol.Transaction{}, refused
	}
	if err != nil {
		return protocol.Transaction{}, err
	}
	a := m.ask(ctx, &request{intent: in, call: call, opt: opt, gas: gas, tried: m.opt.Now()})
	return a.tx, a.err
}

// ask hands a request to Run and waits for the answer.
func (m *Manager) ask(ctx context.Context, r *request) reply {
	r.left, r.answers, r.placed = ctx.Done(), make(chan reply, 1), make(chan struct{})
	if err := m.enter(r); err != nil {
		return reply{err: err}
	}
	defer m.leave()
	m.stir()
	select {
	case a := <-r.answers:
		return a
	case <-ctx.Done():
		return m.farewell(r, ctx.Err())
	case <-m.done:
		return m.farewell(r, stopped(r.call.Verb))
	}
}

// farewell is the answer to a caller that waits no more. What is being signed at
// this moment it waits out, so that the answer names the transaction.
func (m *Manager) farewell(r *request, err error) reply {
	if !r.withdraw() {
		select {
		case <-r.placed:
		case <-m.done:
		}
	}
	select {
	case a := <-r.answers:
		return a
	default:
		return reply{tx: m.shownAs(r.id.Load()), err: err}
	}
}

func stopped(op string) error { return fault.New(fault.TxManagerStopped, op, "") }

// enter puts a request into the inbox. As many as five times the transactions that
// may be in flight can be without an answer.
func (m *Manager) enter(r *request) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return stopped(r.call.Verb)
	}
	if m.asked >= 5*m.opt.InFlight {
		return fault.New(fault.TxQueueFull, r.call.Verb, "")
	}
	m.asked++
	m.inbox = append(m.inbox, r)
	return nil
}

func (m *Manager) leave() {
	m.mu.Lock()
	m.asked--
	m.mu.Unlock()
}

// takeInbox moves new requests to the end of the queue.
func (m *Manager) takeInbox() {
	m.mu.Lock()
	news := m.inbox
	m.inbox = nil
	m.mu.Unlock()
	m.lane.queue = append(m.lane.queue, news...)
}
