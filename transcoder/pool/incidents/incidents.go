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
	// From waitsFrom segments on that ran late, with too few good ones between them, a stream waits: for
	// firstWait at first and twice as long after each further one.
	waitsFrom   = 2
	firstWait   = 30 * time.Second
	longestWait = 2 * time.Minute
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

// stream is one that has incidents, or that ran late beside others. late counts the segments that did, goodRun the
// good ones since the last incident or late one.
type stream struct {
	incidents, late, goodRun int
	refused, waits           time.Time // until then
}

// proven reports whether a stream that only ran late did as many good segments in a row as late ones.
func (s stream) proven() bool { return s.incidents == 0 && s.goodRun >= s.late }

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

// RanLate records a segment that ran late beside others, which may be too many or block their
// device together. An unverified stream gets workers of its own until it has done as many segments as ran late, and
// waits between them when more do; its sender's new streams are treated as those of one with an incident. A verified
// sender must do more good segments to remain known.
func (r *Record) RanLate(w *Segment, unverified bool, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w.name()
	if n, ok := r.good.get(w.sender, now, keepKnown); ok {
		r.good.put(w.sender, n/2, now)
	}
	if s, ok := r.streams.get(w.stream, now, keepStream); unverified || ok {
		s.late, s.goodRun = s.late+1, 0
		if n := s.late - waitsFrom; n >= 0 {
			s.waits = now.Add(min(longestWait, firstWait<<min(n, 16)))
		}
		r.streams.put(w.stream, s, now)
	}
	if unverified {
		by, _ := r.senders.get(w.sender, now, maxLevel*fade)
		by.level = by.level.plus(1, now)
		r.senders.put(w.sender, by, now)
	}
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
