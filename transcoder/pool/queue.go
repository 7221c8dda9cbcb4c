package pool

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
)

// parallel is an engine that says how many segments it works on at once.
type parallel interface {
	Parallel() int
}

// queue lets segments begin on a device, as many at once as it works on. The segments of
// the sessions that were admitted first go first, and one that would not be done in its
// time is refused at once: under a load that is too high the youngest streams get nothing,
// where otherwise the segments of all would be late. Sessions that send faster than their
// media play have no such claim: they get what the others leave, the furthest ahead last.
type queue struct {
	// places is how many segments are worked on at once, 0 for no bound.
	places int

	mu         sync.Mutex // covers what follows
	busy, long int
	// worked is how long all places together were busy until changed.
	worked  time.Duration
	changed time.Time
	// waiting is in the order in which they begin: see ticket.order. Each session has one
	// at most.
	waiting []*ticket
	// typical is what short and long segments take here as a rule, 0 before the first.
	typical [2]time.Duration
}

// ticket is a segment that waits.
type ticket struct {
	seniority uint64
	// ahead is how far its session is ahead of its media, 0 for one that keeps their pace.
	ahead time.Duration
	long  bool
	// takes is how long its session's segments take, 0 where that is not known, and until
	// when it has to be done.
	takes time.Duration
	until time.Time
	// begins is closed when it has its place; refused before that when it is to be
	// given up.
	begins, refused chan struct{}
	// began is when it got its place, worked what the queue had worked by then.
	began  time.Time
	worked time.Duration
}

// ticketOf is a segment's that came at a time and has to be done until another.
func ticketOf(s *session, job *core.TranscodeJob, came, until time.Time) *ticket {
	return &ticket{
		seniority: s.seniority, ahead: s.ahead(came), long: job.Duration > transcoder.LongSegment, takes: s.usual(), until: until,
		begins: make(chan struct{}), refused: make(chan struct{}),
	}
}

// tells reports whether a segment that had no time says that its device has too much to do. One
// of a session that is ahead of its media does not, nor one that came late or takes nearly all
// of its time alone.
func (t *ticket) tells(came time.Time, job *core.TranscodeJob) bool {
	had := t.until.Sub(came)
	return t.ahead == 0 && 2*had >= core.WorkDeadline(job.Duration) && 2*t.takes <= had
}

// order compares tickets by what begins first.
func (t *ticket) order(other *ticket) int {
	return cmp.Or(cmp.Compare(t.ahead, other.ahead), cmp.Compare(t.seniority, other.seniority))
}

// kind is the ticket's index among kinds of segments.
func (t *ticket) kind() int {
	if t.long {
		return 1
	}
	return 0
}

// enter waits for a place. leave gives it back, with how long the segment took, 0 where it
// was not done, and returns how many segments were in work meanwhile on average, with this
// one. The fault is TranscoderBehind, or the end of ctx.
func (q *queue) enter(ctx context.Context, t *ticket) (leave func(took time.Duration) (inWork float64), err error) {
	if q.places == 0 {
		return func(time.Duration) float64 { return 1 }, nil
	}
	q.mu.Lock()
	at, _ := slices.BinarySearchFunc(q.waiting, t, func(w, t *ticket) int { return cmp.Or(w.order(t), -1) })
	q.waiting = slices.Insert(q.waiting, at, t)
	q.next(time.Now())
	q.mu.Unlock()
	select {
	case <-t.begins:
	case <-t.refused:
		return nil, fault.New(fault.TranscoderBehind, "wait for the device", "")
	case <-ctx.Done():
		if !q.give(t) {
			return nil, behind(ctx)
		}
	}
	return func(took time.Duration) float64 { return q.leave(t, took) }, nil
}

// behind is the end of a segment that waited for the device to its own end: no work was
// done for it.
func behind(ctx context.Context) error {
	code := fault.CodeOf(ctx.Err())
	if code == fault.DeadlineExceeded {
		code = fault.TranscoderBehind
	}
	return fault.Wrap(code, "wait for the device", ctx.Err())
}

// give takes a segment out whose caller has left, and reports whether it has its place.
func (q *queue) give(t *ticket) (begun bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case <-t.begins:
		return true
	default:
	}
	q.waiting = slices.DeleteFunc(q.waiting, func(w *ticket) bool { return w == t })
	return false
}

func (q *queue) leave(t *ticket, took time.Duration) (inWork float64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	q.count(now)
	inWork = 1
	if whole := now.Sub(t.began); whole > 0 {
		inWork = max(1, float64(q.worked-t.worked)/float64(whole))
	}
	q.busy--
	if t.long {
		q.long--
	}
	if took > 0 {
		q.typical[t.kind()] = smoothTime(q.typical[t.kind()], took)
	}
	q.next(now)
	return inWork
}

// count adds what the busy places have worked since the last change. The caller holds mu.
func (q *queue) count(now time.Time) {
	q.worked += time.Duration(q.busy) * now.Sub(q.changed)
	q.changed = now
}

// next has segments begin that have a place now, and refuses those that would come too
// late behind the others. The caller holds mu.
func (q *queue) next(now time.Time) {
	kept := q.waiting[:0]
	// What is in work is half done on average.
	ahead := [2]time.Duration{
		time.Duration(q.busy-q.long) * q.typical[0] / 2, time.Duration(q.long) * q.typical[1] / 2,
	}
	for _, t := range q.waiting {
		takes := cmp.Or(t.takes, q.typical[t.kind()], q.typical[0], q.typical[1])
		switch {
		case q.busy < q.places && !(t.long && q.long >= q.forLong()):
			q.count(now)
			t.began, t.worked = now, q.worked
			q.busy++
			if t.long {
				q.long++
			}
			close(t.begins)
		case len(kept) > 0 && now.Add(q.wait(t, ahead)+takes).After(t.until):
			close(t.refused)
		default:
			kept = append(kept, t)
			ahead[t.kind()] += q.expected(t, takes)
		}
	}
	clear(q.waiting[len(kept):])
	q.waiting = kept
}

// expected is what a segment that waits counts for those behind it: its session may have shown
// another kind of segments before. The caller holds mu.
func (q *queue) expected(t *ticket, takes time.Duration) time.Duration {
	if typical := q.typical[t.kind()]; typical > 0 {
		return min(takes, heaviest*typical)
	}
	return takes
}

// forLong is how many places long segments may take.
func (q *queue) forLong() int { return max(1, q.places/2) }

// wait is about how long a segment waits behind short and long ones that take so much. Short
// ones have places that no long one takes, however many of those wait.
func (q *queue) wait(t *ticket, ahead [2]time.Duration) time.Duration {
	all := (ahead[0] + ahead[1]) / time.Duration(q.places)
	if own := q.places - q.forLong(); !t.long && own > 0 {
		return min(all, ahead[0]/time.Duration(own))
	}
	return all
}
