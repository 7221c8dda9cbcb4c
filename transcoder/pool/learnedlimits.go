package pool

import (
	"slices"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
)

// limitLifetime is how long a learned limit holds. Other programs may have used the device
// at the time, and only another try shows.
const limitLifetime = 5 * time.Minute

// observedLimit is a limit that a device showed by refusing a session.
type observedLimit struct {
	n     int
	until time.Time
}

// memoryRecheck is the interval of checks of a device's free memory after it refused a
// session for lack of memory.
const memoryRecheck = time.Second

// learnedLimits are the limits that a device showed at run time. It is guarded by the
// poolDevice's mu.
type learnedLimits struct {
	// byParty are those that sessions of a party met; nil without any.
	byParty map[string]limits
	// shortage can end the memory limits early.
	shortage memoryShortage
	// watched: a goroutine waits for the next limit to end.
	watched bool
}

// limits are those of one party, at most one of each kind.
type limits [limitKinds]observedLimit

// limitKind is a kind of limits.
type limitKind int

const (
	sessionLimit limitKind = iota
	encoderLimit
	memoryLimit
	limitKinds
)

const (
	// severalParties is how many parties a device must refuse before its limits hold for all: one
	// stream may ask for more than any device has.
	severalParties = 3
	// maxLimited bounds the parties with limits of their own.
	maxLimited = 64
)

// bound is the lower of a device's limit and the one that several parties met: the highest of
// theirs, since a party may have met a lower one by its own demands. Sessions of unknown parties
// count as several.
func (l *learnedLimits) bound(kind limitKind, limit int, now time.Time) int {
	parties, most := 0, 0
	for party, own := range l.byParty {
		if !now.Before(own[kind].until) {
			continue
		}
		if parties++; party == "" {
			parties += severalParties
		}
		most = max(most, own[kind].n)
	}
	if parties < severalParties {
		return limit
	}
	return min(limit, most)
}

// add records a limit that a party met.
func (l *learnedLimits) add(party string, kind limitKind, o observedLimit) {
	if l.byParty == nil {
		l.byParty = make(map[string]limits)
	}
	own, known := l.byParty[party]
	if !known && len(l.byParty) >= maxLimited {
		for other := range l.byParty { // any of them
			delete(l.byParty, other)
			break
		}
	}
	own[kind] = o
	l.byParty[party] = own
}

// endMemory ends the memory limits.
func (l *learnedLimits) endMemory() {
	for party, own := range l.byParty {
		own[memoryLimit] = observedLimit{}
		l.byParty[party] = own
	}
}

// hasMemory reports whether there is a memory limit.
func (l *learnedLimits) hasMemory(now time.Time) bool {
	for _, own := range l.byParty {
		if now.Before(own[memoryLimit].until) {
			return true
		}
	}
	return false
}

// memoryShortage is a refusal for lack of memory, to be compared with the free memory.
type memoryShortage struct {
	at time.Time
	// want is the session's demand.
	want int64
	// seen: less than that was free. A GPU that refuses while enough is free needs more
	// than was measured or its memory is fragmented; then the free memory proves nothing.
	seen bool
}

// resolved takes a reading of the free memory, and reports whether the shortage is over.
func (l *memoryShortage) resolved(free int64, at time.Time) bool {
	if free < l.want {
		l.seen = true
		return false
	}
	return l.seen && at.After(l.at)
}

// expires returns when the next limit ends, false when there is none. It forgets those that have.
func (l *learnedLimits) expires(now time.Time) (first time.Time, some bool) {
	for party, own := range l.byParty {
		live := false
		for _, o := range own {
			if !now.Before(o.until) {
				continue
			}
			live = true
			if !some || o.until.Before(first) {
				first, some = o.until, true
			}
		}
		if !live {
			delete(l.byParty, party)
		}
	}
	return first, some
}

// capacityFailure reports whether a device refused a session for lack of capacity.
func capacityFailure(err error) bool {
	code := fault.CodeOf(err)
	return code == fault.EncoderSessionsExhausted || code == fault.GPUOutOfMemory
}

// learnLimit lowers the device's limit to its use without the session that it refused: for the
// session's party, and for all once several parties were refused.
func (p *Pool) learnLimit(d *poolDevice, s *session, err error) {
	if !capacityFailure(err) {
		return
	}
	now := time.Now()
	s.mu.Lock()
	renditions := s.renditions
	s.mu.Unlock()
	free, at, known := p.o.FreeMemory(d.label)
	d.mu.Lock()
	until := now.Add(limitLifetime)
	switch l := &d.learned; {
	case fault.CodeOf(err) == fault.EncoderSessionsExhausted:
		l.add(s.party, encoderLimit, observedLimit{max(0, d.renditions-renditions), until})
	case d.memoryLimitLocked(now) > 0:
		want := d.memoryForLocked(renditions)
		l.add(s.party, memoryLimit, observedLimit{int(max(0, d.memoryInUseLocked()-want)), until})
		l.shortage = memoryShortage{at: now, want: want}
		if known {
			l.shortage.resolved(free, at)
		}
	default:
		l.add(s.party, sessionLimit, observedLimit{max(0, d.sessions-1), until})
	}
	sessions := d.sessions
	d.mu.Unlock()
	p.o.Log.Info("a device has less capacity than estimated", "device", d.label, "sessions", sessions, fault.Attr(err))
	p.table.recordLimited(d)
	p.table.markStale(d)
	p.watchLimits(d)
}

// recordLimited has placements look for limits of parties on a device.
func (t *table) recordLimited(d *poolDevice) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.Contains(t.limited, d) {
		t.limited = append(t.limited, d)
	}
}

// limitedLocked are the devices on which a party's own limits exclude a further session. The
// caller holds table.mu.
func (t *table) limitedLocked(party string, renditions int) (out []*poolDevice) {
	now := time.Now()
	t.limited = slices.DeleteFunc(t.limited, func(d *poolDevice) bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		if _, over := d.partyLimitLocked(party, renditions, now); over {
			out = append(out, d)
		}
		return d.gone || len(d.learned.byParty) == 0
	})
	return out
}

// partyLimitLocked is the party's own limit that a further session would exceed.
func (d *poolDevice) partyLimitLocked(party string, renditions int, now time.Time) (by orchestrate.Bound, over bool) {
	own, known := d.learned.byParty[party]
	if !known {
		return "", false
	}
	exceeds := func(kind limitKind, use int64) bool {
		return now.Before(own[kind].until) && use > int64(own[kind].n)
	}
	switch {
	case exceeds(sessionLimit, int64(d.sessions+1)):
		return orchestrate.BySessions, true
	case exceeds(encoderLimit, int64(d.renditions+renditions)):
		return orchestrate.ByEncoders, true
	case exceeds(memoryLimit, d.memoryInUseLocked()+d.memoryForLocked(renditions)):
		return orchestrate.ByMemory, true
	}
	return "", false
}

// releaseMemoryLimit ends the memory limit of a device whose memory is free again.
func (p *Pool) releaseMemoryLimit(d *poolDevice) {
	free, at, known := p.o.FreeMemory(d.label)
	now := time.Now()
	d.mu.Lock()
	over := known && d.learned.hasMemory(now) && d.learned.shortage.resolved(free, at)
	if over {
		d.learned.endMemory()
	}
	d.mu.Unlock()
	if over {
		p.o.Log.Info("a device has memory for sessions again", "device", d.label)
	}
}

// watchLimits refreshes the device whenever a learned limit ends.
func (p *Pool) watchLimits(d *poolDevice) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.learned.watched {
		return
	}
	d.learned.watched = p.spawn(func() {
		for p.awaitLimit(d) {
			p.releaseMemoryLimit(d)
			p.refresh(d)
		}
	})
}

// awaitLimit waits until a limit may end; false when there is none, or the pool ends.
func (p *Pool) awaitLimit(d *poolDevice) bool {
	now := time.Now()
	d.mu.Lock()
	at, some := d.learned.expires(now)
	if d.learned.hasMemory(now) {
		at = now.Add(min(memoryRecheck, at.Sub(now)))
	}
	d.learned.watched = some && !d.gone
	watched := d.learned.watched
	d.mu.Unlock()
	if !watched {
		return false
	}
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-p.done:
		return false
	}
}
