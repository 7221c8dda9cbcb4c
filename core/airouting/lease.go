package airouting

import (
	"math/big"
	"time"

	"github.com/tuttinode/tutti/core/inference"
)

// Lease is one attempt at one orchestrator. FirstByte is called when the answer begins, Done once
// at the end; further calls of both do nothing.
type Lease struct {
	t           *Table
	c           *candidate
	trust       *trust
	uri         string
	price       *big.Rat
	probe       bool
	whole       bool
	client      string
	affinity    []uint64
	op          inference.Operation
	needs       inference.Needs
	operator    string
	own         bool
	unconfirmed bool
	start       time.Time

	// Guarded by Table.mu. probing: the attempt is the one probe in flight, until its answer
	// begins; trial: it is the one paid attempt after a rest for lost payments.
	probing, trial, began, done bool
}

// URI returns the orchestrator's service URI.
func (l *Lease) URI() string { return l.uri }

// Price returns the orchestrator's price when the lease was taken, in wei per unit; nil is free. It is
// read-only.
func (l *Lease) Price() *big.Rat { return l.price }

// Probe says that the attempt tests whether a resting orchestrator is back.
func (l *Lease) Probe() bool { return l.probe }

// FirstByte records that the answer began, and that this orchestrator now has the prompt cached.
func (l *Lease) FirstByte(now time.Time) {
	l.t.mu.Lock()
	defer l.t.mu.Unlock()
	if l.began || l.done {
		return
	}
	l.began = true
	l.c.latency(l.whole).add(now.Sub(l.start), now)
	if !l.whole {
		l.c.firstTokens.add(now.Sub(l.start))
	}
	l.c.fulls, l.c.fullUntil = 0, time.Time{}
	delete(l.c.backoffs, l.client)
	l.alive(now)
	l.trust.answered(l.start, l.client)
	l.endProbe()
	if l.t.memory != nil {
		l.t.memory.remember(l.t.salt, l.affinity, l.uri)
	}
}

// Busy records that the orchestrator asked the client to come back after a time. It does not affect
// other clients: a model server with a token limit rejects one long prompt this way.
func (l *Lease) Busy(now time.Time, after time.Duration) {
	l.t.mu.Lock()
	defer l.t.mu.Unlock()
	l.c.backOff(l.client, now, now.Add(after))
}

// Lost records a payment without an answer, before Done or before the job is paid again under the
// same lease. It changes nothing off-chain, where nothing is paid.
func (l *Lease) Lost(now time.Time, loss Loss) {
	l.t.mu.Lock()
	defer l.t.mu.Unlock()
	if !l.done {
		l.trust.lostFor(l.client, now, loss, l.trial, l.t.rand())
	}
}

// Done gives the lease back with the attempt's outcome.
func (l *Lease) Done(now time.Time, o Outcome) {
	l.t.mu.Lock()
	defer l.t.mu.Unlock()
	if l.done {
		return
	}
	l.done = true
	c := l.c
	c.inFlight--
	l.recordLocked(now, o)
	l.endProbe()
	if c.gone && c.idle() {
		l.t.dropLocked(c)
	}
}

func (l *Lease) recordLocked(now time.Time, o Outcome) {
	c := l.c
	switch o {
	case Served:
		l.alive(now)
		c.suspension.served()
		c.clients.served(l.client)
		c.refused.Served(l.op)
		l.t.servedLocked(c, l.needs, now)
	case Refused:
		l.alive(now)
	case Full:
		l.alive(now)
		c.recordFull(now, l.t.rand())
	case Failed, Unreachable, Broken:
		if !l.began {
			c.latency(l.whole).atLeast(now.Sub(l.start), now)
		}
		l.failed(now, o == Unreachable)
	case Abandoned:
	}
}

// failed records a failure. A missing connection is no client's fault.
func (l *Lease) failed(now time.Time, hard bool) {
	spread := l.t.rand()
	if hard || l.client == "" || l.c.clients.failed(l.client, now, spread) {
		l.c.suspension.failed(now, hard, l.probing, spread)
	}
}

// alive records an answer of any kind.
func (l *Lease) alive(now time.Time) {
	probation := 1
	if l.client != "" {
		probation = 2 // one client alone does not cause the next rest
	}
	l.c.suspension.alive(now, l.start, probation)
}

// endProbe allows the next probe. From here on the attempt is an ordinary one: its stream may
// outlast the next rest and that one's probe.
func (l *Lease) endProbe() {
	if l.probing {
		l.c.suspension.probing, l.probing = false, false
	}
	if l.trial {
		l.trust.trying, l.trial = false, false
	}
}
