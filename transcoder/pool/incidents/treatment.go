package incidents

import (
	"time"
)

// Treatment is how a segment is to be run.
type Treatment int

// The treatments.
const (
	// Shared: in the device's worker, alongside others.
	Shared Treatment = iota
	// Isolated: in a worker of its own, without incidents of its sender.
	Isolated
	// Unverified: in a worker of its own, because nothing is known of its sender while
	// many others have incidents.
	Unverified
	// Flagged: in a worker of its own, because of incidents of its sender. The stream
	// has good segments.
	Flagged
	// Single: in a worker of its own, one at a time for its sender.
	Single
	// Waiting: not now, because earlier segments of the stream ran late. Another node may do it.
	Waiting
	// Deferred: not now, because of other streams of its sender. Another node may do it.
	Deferred
	// Refused: this segment or stream ended or blocked workers. The refusal is final.
	Refused
)

// TreatmentFor decides how to run a segment of a stream with the given number of good ones.
func (r *Record) TreatmentFor(w *Segment, good int, now time.Time) Treatment {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.segments)+len(r.streams)+len(r.senders)+r.openRetries == 0 && r.senderIncidents.now(now) == 0 {
		return Shared
	}
	if seen, again := r.findSegmentLocked(w, now); again {
		return Refused
	} else if seen {
		return Single
	}
	w.name()
	if s, ok := r.streams.get(w.stream, now, keepStream); ok {
		switch {
		case now.Before(s.refused):
			return Refused
		case now.Before(s.waits):
			return Waiting
		case !s.proven():
			return Single
		}
	}
	level, pending := r.senderLevelLocked(w, now)
	switch {
	case level == 0 && !pending:
		return r.withoutIncidentsLocked(w, good, now)
	case good >= proofSegments*max(1, level):
		return Shared
	case level == 0 && (good > 0 || r.isKnownLocked(w, now)):
		return Isolated
	case good > 0:
		return Flagged
	case level >= deferFrom && w.known:
		return Deferred
	}
	return Single
}

// withoutIncidentsLocked returns the treatment of a segment of a sender without incidents.
func (r *Record) withoutIncidentsLocked(w *Segment, good int, now time.Time) Treatment {
	many := r.senderIncidents.now(now) >= manySenders || r.openRetries >= manyOpen
	if many && good < proofSegments && !r.isKnownLocked(w, now) {
		return Unverified
	}
	return Shared
}

// Unverified reports whether neither a segment's stream, with the given number of good
// segments, nor its sender has a good record.
func (r *Record) Unverified(w *Segment, good int, now time.Time) bool {
	if good >= proofSegments {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	w.name()
	return !r.isKnownLocked(w, now)
}
