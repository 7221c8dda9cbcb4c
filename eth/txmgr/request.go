package txmgr

import (
	"bytes"
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// request is a Send before it gets a nonce, and afterwards a caller waiting for the transaction.
type request struct {
	intent Intent
	call   JournalCall
	opt    protocol.SendOptions
	// gas is what the simulation asked for; 0 only asks whether the Once text is free. limit is the gas limit it
	// is sent with.
	gas, limit protocol.Gas
	// simulatedAt is when the intent was simulated.
	simulatedAt time.Time
	// callerDone is closed when the caller is gone; nil for a resend.
	callerDone <-chan struct{}
	answers    chan reply // holds one
	// withdrawn and claimed exclude one another: the first one sets fate.
	fate atomic.Int32
	// idKnown is closed when id can be read; nil for a resend.
	idKnown chan struct{}
	// id is the transaction that the request became or follows; 0 before.
	id atomic.Uint64
	// resendOf is the transaction whose action is done again, and waiters are the requests that waited for it.
	resendOf *pendingTx
	waiters  []*request
}

// The fates of a request. A caller that leaves withdraws it; Run claims it before it signs. Exactly one of
// the two happens, so a caller that gets no transaction can rely on there being none.
const (
	waiting int32 = iota
	claimed
	withdrawn
)

// claim makes the request one that will be signed; false when it was withdrawn.
func (r *request) claim() bool { return !r.callerGone() && r.fate.CompareAndSwap(waiting, claimed) }

// withdraw makes the request one that is never signed; false when it was claimed.
func (r *request) withdraw() bool { return r.fate.CompareAndSwap(waiting, withdrawn) }

// reply is the answer to a request. free: the Once text has no transaction.
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

// callerGone reports whether the caller left.
func (r *request) callerGone() bool {
	select {
	case <-r.callerDone:
		return true
	default:
		return false
	}
}

// waitingRequests returns the requests whose callers did not leave.
func waitingRequests(rs []*request) []*request { return slices.DeleteFunc(rs, (*request).callerGone) }

// snapshotCall copies an intent: its bytes are signed later, maybe several times.
func snapshotCall(in Intent) JournalCall {
	c := JournalCall{Verb: in.Name(), About: in.Describe(), Addr: in.To(), Input: bytes.Clone(in.Data())}
	c.Wei = weiOf(in.Value()).Big()
	return c
}

// Send submits the intent and waits until it is mined, or until ctx ends; then a transaction already sent
// remains pending and the error is ctx's. What the contract refuses, or the account cannot pay, is refused
// before anything is spent. While the price is above the bound, Send waits; see protocol.SendOptions.
func (m *Manager) Send(ctx context.Context, in Intent, opt protocol.SendOptions) (protocol.Transaction, error) {
	call := snapshotCall(in)
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
	a := m.ask(ctx, &request{intent: in, call: call, opt: opt, gas: gas, simulatedAt: m.opt.Now()})
	return a.tx, a.err
}

// ask hands a request to Run and waits for the answer.
func (m *Manager) ask(ctx context.Context, r *request) reply {
	r.callerDone, r.answers, r.idKnown = ctx.Done(), make(chan reply, 1), make(chan struct{})
	if err := m.enqueue(r); err != nil {
		return reply{err: err}
	}
	defer m.release()
	m.wakeRun()
	select {
	case a := <-r.answers:
		return a
	case <-ctx.Done():
		return m.abandon(r, ctx.Err())
	case <-m.done:
		return m.abandon(r, stopped(r.call.Verb))
	}
}

// abandon returns the answer to a caller that stops waiting. A signature in progress is waited for, so that the
// answer names the transaction.
func (m *Manager) abandon(r *request, err error) reply {
	if !r.withdraw() {
		select {
		case <-r.idKnown:
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

// enqueue puts a request into the inbox. Up to five times InFlight requests can be unanswered.
func (m *Manager) enqueue(r *request) error {
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

func (m *Manager) release() {
	m.mu.Lock()
	m.asked--
	m.mu.Unlock()
}

// takeInbox moves new requests to the end of the queue.
func (m *Manager) takeInbox() {
	m.mu.Lock()
	fresh := m.inbox
	m.inbox = nil
	m.mu.Unlock()
	m.nonces.requests = append(m.nonces.requests, fresh...)
}
