package broker

import (
	"slices"
	"sync"

	"github.com/tuttinode/tutti/core/fault"
)

// line lets so many searches run at once and so many more wait for their turn, in
// the order in which they came. One that waits costs no goroutine, so that names of
// models, which come from clients, cost little until they are looked for.
type line struct {
	places, seats int

	mu      sync.Mutex
	running int
	waiting []*search
}

func newLine(places, seats int) *line { return &line{places: places, seats: seats} }

// enter begins a search, or lets it wait. The error is a fault: SearchesFull when as
// many wait as may, Canceled when the gateway is stopping.
func (b *Broker) enter(l *line, s *search) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.running < l.places:
		if !b.background(func() { b.work(l, s) }) {
			return fault.New(fault.Canceled, s.of.op, "the gateway is stopping")
		}
		l.running++
	case len(l.waiting) < l.seats:
		l.waiting = append(l.waiting, s)
	default:
		return fault.New(fault.SearchesFull, s.of.op, "too many searches wait already")
	}
	return nil
}

// work is one place: it takes a search to its end, then those that wait.
func (b *Broker) work(l *line, s *search) {
	for ; s != nil; s = l.next() {
		s.end(s.ask(), b.opt.Now)
	}
}

// next is whose turn it is; without anybody the place is given back.
func (l *line) next() *search {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		l.running--
		return nil
	}
	s := l.waiting[0]
	l.waiting = slices.Delete(l.waiting, 0, 1)
	return s
}

// leave takes a search out of the line. It is false when its turn has come already.
func (l *line) leave(s *search) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.waiting, s)
	if i < 0 {
		return false
	}
	l.waiting = slices.Delete(l.waiting, i, i+1)
	return true
}
