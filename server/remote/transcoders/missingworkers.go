package transcoders

import (
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

const (
	// missedFor is how long a worker that does not return is a health condition: after that
	// it was most likely removed on purpose.
	missedFor = 15 * time.Minute
	maxMissed = 256
)

// missingWorkers are the named workers that were lost without deregistering. Workers without
// a name cannot be distinguished.
type missingWorkers struct {
	board *health.Board

	mu     sync.Mutex
	timers map[string]*time.Timer
	closed bool
}

// newMissingWorkers reports to a board, which may be nil.
func newMissingWorkers(board *health.Board) *missingWorkers {
	return &missingWorkers{board: board, timers: make(map[string]*time.Timer)}
}

func conditionOf(name string) health.Key {
	return health.Key{Code: fault.RemoteWorkerLost, About: name}
}

func (m *missingWorkers) add(name, why string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.board == nil || m.closed || m.timers[name] != nil || len(m.timers) >= maxMissed {
		return
	}
	m.timers[name] = time.AfterFunc(missedFor, func() { m.remove(name) })
	m.board.Set(conditionOf(name), why)
}

func (m *missingWorkers) remove(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if t := m.timers[name]; t != nil {
		t.Stop()
		delete(m.timers, name)
		m.board.Clear(conditionOf(name))
	}
}

func (m *missingWorkers) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	for _, t := range m.timers {
		t.Stop()
	}
	clear(m.timers)
}
