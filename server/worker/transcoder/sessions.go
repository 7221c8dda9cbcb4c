package transcoder

import (
	"context"
	"sync"

	"github.com/tuttinode/tutti/core"
)

// maxQueue is how many segments of one session may wait for the one in work, as in the
// network's transcoders.
const maxQueue = 4

// sessions keep the segments of each session in the order in which they came: their
// inputs are fetched at the same time, and the first fetched is not always the first.
type sessions struct {
	mu    sync.Mutex
	lines map[core.SessionID]*line
}

// line is the segments of one session that are in work or wait.
type line struct {
	inside int
	// last is closed when the one that came last is through.
	last chan struct{}
}

// place is one segment's.
type place struct {
	of *sessions
	id core.SessionID
	// before is closed when the segment before is through, nil for the first.
	before, own chan struct{}
	once        sync.Once
}

// join puts a segment at the end of its session's line; nil when that is full. An end
// of a session always finds a place.
func (s *sessions) join(id core.SessionID, ending bool) *place {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lines[id]
	if l == nil {
		if s.lines == nil {
			s.lines = make(map[core.SessionID]*line)
		}
		l = new(line)
		s.lines[id] = l
	}
	if l.inside > maxQueue && !ending {
		return nil
	}
	p := &place{of: s, id: id, before: l.last, own: make(chan struct{})}
	l.last = p.own
	l.inside++
	return p
}

// turn waits for it.
func (p *place) turn(ctx context.Context) error {
	if p.before == nil {
		return ctx.Err()
	}
	select {
	case <-p.before:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leave lets the next one have its turn, which it never has before everyone who came
// before is through: leave waits for them. Further calls do nothing.
func (p *place) leave() {
	p.once.Do(func() {
		if p.before != nil {
			<-p.before
		}
		close(p.own)
		p.of.mu.Lock()
		defer p.of.mu.Unlock()
		if l := p.of.lines[p.id]; l != nil {
			if l.inside--; l.inside == 0 {
				delete(p.of.lines, p.id)
			}
		}
	})
}

// pass is leave where nobody who came before is still in.
func (p *place) pass() {
	if p.before != nil {
		select {
		case <-p.before:
		default:
			return
		}
	}
	p.leave()
}

// room bounds the inputs in memory.
type room struct {
	most int64

	mu   sync.Mutex
	used int64
}

// take reports whether there is room for n more bytes, and takes it. A single input
// always has room.
func (r *room) take(n int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.used > 0 && r.used+n > r.most {
		return false
	}
	r.used += n
	return true
}

func (r *room) give(n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used -= n
}
