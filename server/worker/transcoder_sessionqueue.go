package worker

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
)

// maxQueue is how many segments of one session may wait behind the one in progress, as in
// the network's transcoders.
const maxQueue = 4

// sessions keep the segments of each session in order of arrival: their inputs are fetched
// concurrently and may complete out of order.
type sessions struct {
	mu     sync.Mutex
	queues map[core.SessionID]*sessionQueue
	// byLink are the sessions that each orchestrator has not ended, with their last use.
	byLink map[*Link]map[core.SessionID]time.Time
}

const (
	// From manySessions on, sessions without a segment for oldSession are removed: their
	// orchestrator may never end them.
	manySessions = 256
	oldSession   = 2 * core.SessionIdle
)

// localSession returns a session's id on this machine: ids of two orchestrators may collide.
func localSession(from *Link, id core.SessionID) core.SessionID {
	if from.Number() == 1 {
		return id
	}
	return id + core.SessionID("~"+strconv.Itoa(from.Number()))
}

// recordUse records that an orchestrator uses a session.
func (s *sessions) recordUse(from *Link, id core.SessionID, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.byLink[from]
	if of == nil {
		if s.byLink == nil {
			s.byLink = make(map[*Link]map[core.SessionID]time.Time)
		}
		of = make(map[core.SessionID]time.Time)
		s.byLink[from] = of
	}
	if _, ok := of[id]; !ok && len(of) >= manySessions {
		for other, last := range of {
			if now.Sub(last) > oldSession {
				delete(of, other)
			}
		}
	}
	of[id] = now
}

// remove removes a session that its orchestrator ended.
func (s *sessions) remove(from *Link, id core.SessionID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byLink[from], id)
}

// takeAll removes and returns an orchestrator's sessions.
func (s *sessions) takeAll(from *Link) []core.SessionID {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Collect(maps.Keys(s.byLink[from]))
	delete(s.byLink, from)
	return all
}

// sessionQueue is the segments of one session in progress or waiting.
type sessionQueue struct {
	inProgress int
	// last is closed when the last queued one has finished.
	last chan struct{}
}

// queuePosition is one segment's position in its session's queue.
type queuePosition struct {
	of *sessions
	id core.SessionID
	// previous is closed when the previous segment has finished, nil for the first.
	previous, done chan struct{}
	once           sync.Once
}

// enqueue appends a segment to its session's queue; nil when that is full. The end of a
// session always fits.
func (s *sessions) enqueue(id core.SessionID, ending bool) *queuePosition {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.queues[id]
	if l == nil {
		if s.queues == nil {
			s.queues = make(map[core.SessionID]*sessionQueue)
		}
		l = new(sessionQueue)
		s.queues[id] = l
	}
	if l.inProgress > maxQueue && !ending {
		return nil
	}
	p := &queuePosition{of: s, id: id, previous: l.last, done: make(chan struct{})}
	l.last = p.done
	l.inProgress++
	return p
}

// wait waits for the segment's turn.
func (p *queuePosition) wait(ctx context.Context) error {
	if p.previous == nil {
		return ctx.Err()
	}
	select {
	case <-p.previous:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leave gives the turn to the next segment. It waits for all previous ones first, so that
// segments never overtake. Further calls do nothing.
func (p *queuePosition) leave() {
	p.once.Do(func() {
		if p.previous != nil {
			<-p.previous
		}
		close(p.done)
		p.of.mu.Lock()
		defer p.of.mu.Unlock()
		if l := p.of.queues[p.id]; l != nil {
			if l.inProgress--; l.inProgress == 0 {
				delete(p.of.queues, p.id)
			}
		}
	})
}

// leaveIfFirst is leave if no previous segment is in progress.
func (p *queuePosition) leaveIfFirst() {
	if p.previous != nil {
		select {
		case <-p.previous:
		default:
			return
		}
	}
	p.leave()
}

// memoryBudget bounds the bytes of inputs in memory.
type memoryBudget struct {
	most int64

	mu   sync.Mutex
	used int64
}

// reserve reserves n bytes, and reports whether they fit. A single input always fits.
func (r *memoryBudget) reserve(n int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.used > 0 && r.used+n > r.most {
		return false
	}
	r.used += n
	return true
}

func (r *memoryBudget) release(n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used -= n
}
