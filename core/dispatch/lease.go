package dispatch

import "time"

// Lease is one attempt at one orchestrator. FirstByte is called when the answer
// begins, Done once at the end; both may be called again without effect.
type Lease struct {
	t        *Table
	c        *candidate
	trust    *trust
	uri      string
	probe    bool
	whole    bool
	affinity []uint64
	start    time.Time

	// Guarded by Table.mu. probing: the attempt is the one probe in flight, until its
	// answer begins; trial: it is the one that is paid after a rest for refusals.
	probing, trial, began, done bool
}

// URI is the orchestrator's.
func (l *Lease) URI() string { return l.uri }

// Probe says that the attempt finds out whether a resting orchestrator is back.
func (l *Lease) Probe() bool { return l.probe }

// FirstByte notes that the answer began, and who now has the prompt cached.
func (l *Lease) FirstByte(now time.Time) {
	l.t.mu.Lock()
	defer l.t.mu.Unlock()
	if l.began || l.done {
		return
	}
	l.began = true
	l.c.latency(l.whole).add(now.Sub(l.start), now)
	l.c.fulls, l.c.fullUntil = 0, time.Time{}
	l.c.health.alive(now, l.start)
	l.trust.answered(l.start)
	l.endProbe()
	if l.t.memory != nil {
		l.t.memory.remember(l.t.salt, l.affinity, l.uri)
	}
}

// Lost notes that a payment of the attempt brought nothing, before Done or before the
// job is paid for once more under the same lease. It changes nothing off-chain, where
// nothing is lost.
func (l *Lease) Lost(now time.Time, loss Loss) {
	l.t.mu.Lock()
	defer l.t.mu.Unlock()
	if !l.done {
		l.trust.lost(now, loss, l.trial, l.t.rand())
	}
}

// Done gives the lease back and says how the attempt ended.
func (l *Lease) Done(now time.Time, o Outcome) {
	l.t.mu.Lock()
	defer l.t.mu.Unlock()
	if l.done {
		return
	}
	l.done = true
	c := l.c
	c.inFlight--
	l.note(now, o)
	l.endProbe()
	if c.gone && c.idle() {
		l.t.drop(c)
	}
}

func (l *Lease) note(now time.Time, o Outcome) {
	c := l.c
	switch o {
	case Served:
		c.health.alive(now, l.start)
		c.health.served()
	case Refused:
		c.health.alive(now, l.start)
	case Full:
		c.health.alive(now, l.start)
		c.full(now, l.t.rand())
	case Failed, Unreachable, Broken:
		if !l.began {
			c.latency(l.whole).atLeast(now.Sub(l.start), now)
		}
		c.health.failed(now, o == Unreachable, l.probing, l.t.rand())
	case Abandoned:
	}
}

// endProbe lets the next probe begin. From here on the attempt is one like others:
// its stream may outlast the rest that comes next, and that one's probe.
func (l *Lease) endProbe() {
	if l.probing {
		l.c.health.probing, l.probing = false, false
	}
	if l.trial {
		l.trust.trying, l.trial = false, false
	}
}
