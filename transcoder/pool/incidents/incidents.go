package incidents

import (
	"math"
	"sync"
	"time"
)

const (
	// maxEntries bounds the recorded segments, streams and senders, each kind separately.
	maxEntries = 1024
	// keepSegment is how long a segment is recorded, keepStream an inactive stream.
	keepSegment = 10 * time.Minute
	keepStream  = 30 * time.Minute
	// forgiveAfter is the number of good segments that clears a stream's incidents.
	forgiveAfter = 10
	// From refusedFrom incidents on a stream is refused, for firstRefusal at first and twice
	// as long after each further one. Then it is tried again in a worker of its own.
	refusedFrom    = 2
	firstRefusal   = 30 * time.Second
	longestRefusal = 10 * time.Minute
	// fade is the time in which one of a sender's incidents expires, maxLevel the highest
	// level.
	fade     = time.Minute
	maxLevel = 12
	// proofSegments is how many good segments a stream needs, per incident of its sender, to
	// share a worker with others.
	proofSegments = 3
	// deferFrom is the level from which a sender's new streams are deferred.
	deferFrom = 6
	// From manySenders senders with incidents on, new streams of unknown senders get workers
	// of their own, too.
	manySenders = 4
	// manyOpen is the same for segments that are being retried because their worker ended:
	// two of them may be a single incident.
	manyOpen = 3
	// knownFrom is how many good segments since its last incident make a sender known,
	// keepTrust how long it stays that without another.
	knownFrom = 20
	keepKnown = time.Hour
)

// Treatment is how a segment is to be run.
type Treatment int

// The treatments.
const (
	// Shared: in the device's worker, beside others.
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
	// Deferred: not now, because of other streams of its sender. Another node may do it.
	Deferred
	// Refused: this segment or stream ended or blocked workers. The refusal is final.
	Refused
)

// Record is the record of incidents. Its methods are safe for concurrent use.
type Record struct {
	mu       sync.Mutex // covers the fields below
	segments table[bool]
	streams  table[stream]
	senders  table[sender]
	// good counts the good segments of senders since their last incident.
	good table[int]
	// senderIncidents counts senders with a first incident.
	senderIncidents level
	// openRetries counts segments that ended a shared worker and are being retried in workers
	// of their own.
	openRetries int
}

// stream is one that has incidents.
type stream struct {
	incidents, goodRun int
	refused            time.Time // until then
}

// sender is one that has incidents or is close to one.
type sender struct {
	level level
	// pending counts segments that ended a shared worker, while it is unknown whether they
	// were the cause.
	pending int
}

// level is a number of incidents that decreases with time.
type level struct {
	value float64
	at    time.Time
}

func (l level) now(now time.Time) float64 {
	return max(0, l.value-float64(max(0, now.Sub(l.at)))/float64(fade))
}

func (l level) plus(n float64, now time.Time) level {
	return level{min(maxLevel, max(0, l.now(now)+n)), now}
}

// New makes an empty record.
func New() *Record {
	return &Record{segments: table[bool]{}, streams: table[stream]{}, senders: table[sender]{}, good: table[int]{}}
}

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
		if now.Before(s.refused) {
			return Refused
		}
		return Single
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

// BlockedTogether records that segments of unverified streams blocked a worker together: for
// a minute new streams of unknown senders get workers of their own.
func (r *Record) BlockedTogether(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.senderIncidents = level{max(r.senderIncidents.now(now), manySenders+1), now}
}

// isKnownLocked reports whether a sender has enough good segments.
func (r *Record) isKnownLocked(w *Segment, now time.Time) bool {
	n, ok := r.good.get(w.sender, now, keepKnown)
	return ok && n >= knownFrom
}

// findSegmentLocked reports whether the segment's bytes are recorded, and whether with the
// same profiles.
func (r *Record) findSegmentLocked(w *Segment, now time.Time) (seen, again bool) {
	if len(r.segments) == 0 {
		return false, false
	}
	w.digest()
	if _, again = r.segments.get(w.order, now, keepSegment); again {
		return true, true
	}
	_, seen = r.segments.get(w.input, now, keepSegment)
	return seen, false
}

// senderLevelLocked returns the level of the segment's sender, and whether segments of it are
// suspected of an incident.
func (r *Record) senderLevelLocked(w *Segment, now time.Time) (level int, pending bool) {
	s, ok := r.senders.get(w.sender, now, maxLevel*fade)
	if !ok {
		return 0, false
	}
	return int(math.Ceil(s.level.now(now))), s.pending > 0
}

// RetryBegan records that a segment's shared worker ended: until RetryEnded new streams of
// its sender get workers of their own.
func (r *Record) RetryBegan(w *Segment, now time.Time) { r.countRetry(w, 1, now) }

// RetryEnded takes back one RetryBegan.
func (r *Record) RetryEnded(w *Segment, now time.Time) { r.countRetry(w, -1, now) }

func (r *Record) countRetry(w *Segment, n int, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.openRetries += n
	w.name()
	s, known := r.senders.get(w.sender, now, maxLevel*fade)
	if !known && n < 0 {
		return
	}
	s.pending = max(0, s.pending+n)
	if s.pending == 0 && s.level.now(now) == 0 {
		delete(r.senders, w.sender)
		return
	}
	r.senders.put(w.sender, s, now)
}

// Blame records a segment that ended or blocked a worker and is to blame. It returns the
// number of its stream's incidents.
func (r *Record) Blame(w *Segment, now time.Time) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	w.digest()
	r.segments.put(w.order, true, now)
	r.segments.put(w.input, true, now)
	return r.flagLocked(w, now)
}

// Flag records an incident of a stream over earlier segments, and returns their number.
func (r *Record) Flag(w *Segment, now time.Time) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.flagLocked(w, now)
}

// flagLocked counts an incident of a stream and its sender.
func (r *Record) flagLocked(w *Segment, now time.Time) int {
	w.name()
	s, _ := r.streams.get(w.stream, now, keepStream)
	s.incidents, s.goodRun = s.incidents+1, 0
	if n := s.incidents - refusedFrom; n >= 0 {
		s.refused = now.Add(min(longestRefusal, firstRefusal<<min(n, 16)))
	}
	r.streams.put(w.stream, s, now)
	by, _ := r.senders.get(w.sender, now, maxLevel*fade)
	if by.level.now(now) == 0 {
		r.senderIncidents = r.senderIncidents.plus(1, now)
	}
	by.level = by.level.plus(1, now)
	r.senders.put(w.sender, by, now)
	delete(r.good, w.sender)
	return s.incidents
}

// Succeeded records a good segment. Enough of them clear a stream and make a sender known.
func (r *Record) Succeeded(w *Segment, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w.name()
	n, _ := r.good.get(w.sender, now, keepKnown)
	r.good.put(w.sender, min(n+1, knownFrom), now)
	s, ok := r.streams.get(w.stream, now, keepStream)
	if !ok {
		return
	}
	if s.goodRun++; s.goodRun >= forgiveAfter {
		delete(r.streams, w.stream)
		return
	}
	r.streams.put(w.stream, s, now)
}

// TakeBack takes back one Blame: the device was at fault.
func (r *Record) TakeBack(w *Segment, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w.name()
	w.digest()
	delete(r.segments, w.order)
	delete(r.segments, w.input)
	if s, ok := r.streams.get(w.stream, now, keepStream); ok {
		if s.incidents--; s.incidents <= 0 {
			delete(r.streams, w.stream)
		} else {
			s.refused = time.Time{}
			r.streams.put(w.stream, s, now)
		}
	}
	if by, ok := r.senders.get(w.sender, now, maxLevel*fade); ok {
		by.level = by.level.plus(-1, now)
		r.senders.put(w.sender, by, now)
	}
}

// Len returns the number of entries of all kinds.
func (r *Record) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.segments) + len(r.streams) + len(r.senders) + len(r.good)
}
