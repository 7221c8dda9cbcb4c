package pool

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// parallel is an engine that says how many segments it works on at once.
type parallel interface {
	Parallel() int
}

// longPlaying segments may not take every place, so that short ones, whose deadlines are
// near, always get on.
const longPlaying = 10 * time.Second

// queue lets segments begin on a device, as many at once as it works on. The segments of
// the sessions that were admitted first go first, and one that would not be done in its
// time is refused at once: under a load that is too high the youngest streams get nothing,
// where otherwise the segments of all would be late.
type queue struct {
	// places is how many segments are worked on at once, 0 for no bound.
	places int

	mu         sync.Mutex // covers what follows
	busy, long int
	// waiting is in the order in which they begin: by the age of their sessions. Each
	// session has one at most.
	waiting []*ticket
	// typical is what segments take here as a rule, 0 before the first.
	typical time.Duration
}

// ticket is a segment that waits.
type ticket struct {
	seniority uint64
	long      bool
	// takes is how long its session's segments take, 0 where that is not known, and until
	// when it has to be done.
	takes time.Duration
	until time.Time
	// begins is closed when it has its place; refused before that when it is to be
	// given up.
	begins, refused chan struct{}
}

// enter waits for a place. leave gives it back, with how long the segment took, 0 where it
// was not done. The fault is TranscoderBehind, or the end of ctx.
func (q *queue) enter(ctx context.Context, s *session, playing time.Duration, until time.Time) (leave func(took time.Duration), err error) {
	if q.places == 0 {
		return func(time.Duration) {}, nil
	}
	t := &ticket{
		seniority: s.seniority, long: playing > longPlaying, takes: s.usual(), until: until,
		begins: make(chan struct{}), refused: make(chan struct{}),
	}
	q.mu.Lock()
	at, _ := slices.BinarySearchFunc(q.waiting, t.seniority, func(w *ticket, n uint64) int {
		if w.seniority <= n {
			return -1
		}
		return 1
	})
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
	return func(took time.Duration) { q.leave(t, took) }, nil
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

func (q *queue) leave(t *ticket, took time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.busy--
	if t.long {
		q.long--
	}
	if took > 0 {
		q.typical = smoothTime(q.typical, took)
	}
	q.next(time.Now())
}

// next has segments begin that have a place now, and refuses those that would come too
// late behind the others. The caller holds mu.
func (q *queue) next(now time.Time) {
	// What is in work is half done on average.
	kept, ahead := q.waiting[:0], time.Duration(q.busy)*q.typical/2
	for _, t := range q.waiting {
		takes := t.takes
		if takes == 0 {
			takes = q.typical
		}
		switch {
		case q.busy < q.places && !(t.long && q.long >= max(1, q.places/2)):
			q.busy++
			if t.long {
				q.long++
			}
			close(t.begins)
		case len(kept) > 0 && now.Add(ahead/time.Duration(q.places)+takes).After(t.until):
			close(t.refused)
		default:
			kept = append(kept, t)
			ahead += takes
		}
	}
	clear(q.waiting[len(kept):])
	q.waiting = kept
}
