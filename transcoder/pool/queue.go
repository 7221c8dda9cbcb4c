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

// parallel is an engine with a bound on concurrent segments.
type parallel interface {
	Parallel() int
}

// queue starts segments on a device, as many at once as the device has slots. Segments of
// older sessions go first, and a segment that would miss its deadline is refused at once.
// So under overload the newest streams fail, and not all streams at once. Sessions that
// send faster than real time come after the others, the furthest ahead last.
type queue struct {
	// slots is how many segments may be in progress at once, 0 for no bound.
	slots int

	mu         sync.Mutex // guards the fields below
	busy, long int
	// busyTime is the sum of the slots' busy time until countedAt.
	busyTime  time.Duration
	countedAt time.Time
	// waiting is in start order, see segmentTicket.compare. Each session has at most one.
	waiting []*segmentTicket
	// typical is the smoothed time of short and of long segments, 0 before the first.
	typical [2]time.Duration
}

// segmentTicket is a segment in the queue.
type segmentTicket struct {
	seniority uint64
	// ahead is how far its session is ahead of real time, 0 when it is not.
	ahead time.Duration
	long  bool
	// estimate is the time that its session's segments take, 0 when unknown; dueBy is its
	// deadline.
	estimate time.Duration
	dueBy    time.Time
	// started is closed when it gets a slot; refused is closed instead when it cannot be
	// done in time.
	started, refused chan struct{}
	// startedAt is when it got its slot, busyBefore the queue's busyTime at that time.
	startedAt  time.Time
	busyBefore time.Duration
}

// newTicket makes the ticket of a segment, with its arrival time and its deadline.
func newTicket(s *session, job *core.TranscodeJob, came, until time.Time) *segmentTicket {
	return &segmentTicket{
		seniority: s.seniority, ahead: s.aheadBy(came), long: job.Duration > transcoder.LongSegment, estimate: s.typical(),
		dueBy:   until,
		started: make(chan struct{}), refused: make(chan struct{}),
	}
}

// showsOverload reports whether a refusal for lack of time shows that the device is overloaded.
// That of a session ahead of real time does not, nor that of a segment that came late or takes
// nearly all of its time alone.
func (t *segmentTicket) showsOverload(came time.Time, job *core.TranscodeJob) bool {
	had := t.dueBy.Sub(came)
	return t.ahead == 0 && 2*had >= core.WorkDeadline(job.Duration) && 2*t.estimate <= had
}

// compare orders tickets by which starts first.
func (t *segmentTicket) compare(other *segmentTicket) int {
	return cmp.Or(cmp.Compare(t.ahead, other.ahead), cmp.Compare(t.seniority, other.seniority))
}

// kind returns the index for queue.typical: short or long.
func (t *segmentTicket) kind() int {
	if t.long {
		return 1
	}
	return 0
}

// enter waits for a slot. leave frees it; its argument is the time that the segment took,
// 0 for one that failed, and its result the average number of segments in progress
// meanwhile, this one included. The fault is TranscoderBehind, or the end of ctx.
func (q *queue) enter(
	ctx context.Context, t *segmentTicket,
) (leave func(took time.Duration) (inWork float64), err error) {
	if q.slots == 0 {
		return func(time.Duration) float64 { return 1 }, nil
	}
	q.mu.Lock()
	at, _ := slices.BinarySearchFunc(q.waiting, t, func(w, t *segmentTicket) int { return cmp.Or(w.compare(t), -1) })
	q.waiting = slices.Insert(q.waiting, at, t)
	q.startNextLocked(time.Now())
	q.mu.Unlock()
	select {
	case <-t.started:
	case <-t.refused:
		return nil, fault.New(fault.TranscoderBehind, "wait for the device", "")
	case <-ctx.Done():
		if !q.withdraw(t) {
			return nil, waitExpired(ctx)
		}
	}
	return func(took time.Duration) float64 { return q.leave(t, took) }, nil
}

// waitExpired is the fault of a segment whose ctx ended in the queue: no work was done
// for it.
func waitExpired(ctx context.Context) error {
	code := fault.CodeOf(ctx.Err())
	if code == fault.DeadlineExceeded {
		code = fault.TranscoderBehind
	}
	return fault.Wrap(code, "wait for the device", ctx.Err())
}

// withdraw removes a segment whose caller gave up, and reports whether it has started.
func (q *queue) withdraw(t *segmentTicket) (begun bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case <-t.started:
		return true
	default:
	}
	q.waiting = slices.DeleteFunc(q.waiting, func(w *segmentTicket) bool { return w == t })
	return false
}

func (q *queue) leave(t *segmentTicket, took time.Duration) (inWork float64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	q.addBusyTimeLocked(now)
	inWork = 1
	if whole := now.Sub(t.startedAt); whole > 0 {
		inWork = max(1, float64(q.busyTime-t.busyBefore)/float64(whole))
	}
	q.busy--
	if t.long {
		q.long--
	}
	if took > 0 {
		q.typical[t.kind()] = smoothTime(q.typical[t.kind()], took)
	}
	q.startNextLocked(now)
	return inWork
}

// addBusyTimeLocked adds the slots' busy time since the last change.
func (q *queue) addBusyTimeLocked(now time.Time) {
	q.busyTime += time.Duration(q.busy) * now.Sub(q.countedAt)
	q.countedAt = now
}

// startNextLocked starts segments on free slots, and refuses those that would miss their
// deadline behind the others.
func (q *queue) startNextLocked(now time.Time) {
	kept := q.waiting[:0]
	// Segments in progress are half done on average.
	ahead := [2]time.Duration{
		time.Duration(q.busy-q.long) * q.typical[0] / 2, time.Duration(q.long) * q.typical[1] / 2,
	}
	for _, t := range q.waiting {
		takes := cmp.Or(t.estimate, q.typical[t.kind()], q.typical[0], q.typical[1])
		switch {
		case q.busy < q.slots && !(t.long && q.long >= q.longSlots()):
			q.addBusyTimeLocked(now)
			t.startedAt, t.busyBefore = now, q.busyTime
			q.busy++
			if t.long {
				q.long++
			}
			close(t.started)
		case len(kept) > 0 && now.Add(q.estimateWait(t, ahead)+takes).After(t.dueBy):
			close(t.refused)
		default:
			kept = append(kept, t)
			ahead[t.kind()] += q.countsAs(t, takes)
		}
	}
	clear(q.waiting[len(kept):])
	q.waiting = kept
}

// countsAs returns the time that a waiting segment counts for those behind it: its session may have
// sent another kind of segments before.
func (q *queue) countsAs(t *segmentTicket, takes time.Duration) time.Duration {
	if typical := q.typical[t.kind()]; typical > 0 {
		return min(takes, maxWeight*typical)
	}
	return takes
}

// longSlots returns how many slots long segments may take.
func (q *queue) longSlots() int { return max(1, q.slots/2) }

// estimateWait returns the expected wait behind short and long segments of the given total
// times. Short segments have slots that long ones never take.
func (q *queue) estimateWait(t *segmentTicket, ahead [2]time.Duration) time.Duration {
	all := (ahead[0] + ahead[1]) / time.Duration(q.slots)
	if own := q.slots - q.longSlots(); !t.long && own > 0 {
		return min(all, ahead[0]/time.Duration(own))
	}
	return all
}
