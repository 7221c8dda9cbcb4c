package transcoder

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/worker"
)

// maxQueue is how many segments of one session may wait for the one in work, as in the
// network's transcoders.
const maxQueue = 4

// sessions keep the segments of each session in the order in which they came: their
// inputs are fetched at the same time, and the first fetched is not always the first.
type sessions struct {
	mu     sync.Mutex
	queues map[core.SessionID]*sessionQueue
	// byLink are those that an orchestrator has not ended, and when it was last heard of
	// them.
	byLink map[*worker.Link]map[core.SessionID]time.Time
}

const (
	// manySessions is from how many on those are looked for that nobody ends; a session
	// without a segment for oldSession has ended by itself.
	manySessions = 256
	oldSession   = 2 * core.SessionIdle
)

// localSession is a session's name on this machine. Two orchestrators may call theirs the same,
// and of two addresses of one, one may end what goes on at the other.
func localSession(from *worker.Link, id core.SessionID) core.SessionID {
	if from.Number() == 1 {
		return id
	}
	return id + core.SessionID("~"+strconv.Itoa(from.Number()))
}

// recordUse notes that an orchestrator has a session here.
func (s *sessions) recordUse(from *worker.Link, id core.SessionID, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.byLink[from]
	if of == nil {
		if s.byLink == nil {
			s.byLink = make(map[*worker.Link]map[core.SessionID]time.Time)
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

// remove notes that an orchestrator has ended a session.
func (s *sessions) remove(from *worker.Link, id core.SessionID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byLink[from], id)
}

// takeAll are an orchestrator's sessions, which it has no more after this.
func (s *sessions) takeAll(from *worker.Link) []core.SessionID {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Collect(maps.Keys(s.byLink[from]))
	delete(s.byLink, from)
	return all
}

// sessionQueue is the segments of one session that are in work or wait.
type sessionQueue struct {
	inProgress int
	// last is closed when the one that came last is through.
	last chan struct{}
}

// queuePosition is one segment's.
type queuePosition struct {
	of *sessions
	id core.SessionID
	// previous is closed when the segment before is through, nil for the first.
	previous, done chan struct{}
	once           sync.Once
}

// enqueue puts a segment at the end of its session's line; nil when that is full. An end
// of a session always finds a place.
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

// wait waits for it.
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

// leave lets the next one have its turn, which it never has before everyone who came
// before is through: leave waits for them. Further calls do nothing.
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

// leaveIfFirst is leave where nobody who came before is still in.
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

// memoryBudget bounds the inputs in memory.
type memoryBudget struct {
	most int64

	mu   sync.Mutex
	used int64
}

// reserve reports whether there is room for n more bytes, and takes it. A single input
// always has room.
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
