package telemetry

import (
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/health"
)

// orElse sets an option that has no value to its default.
func orElse(v *time.Duration, d time.Duration) {
	if *v <= 0 {
		*v = d
	}
}

// losses is the condition of a sink that loses messages. It is set with the first failure, and cleared by a
// Check with deliveries and without failures since the one before: a broker that takes every other message does not set
// and clear it in turn. Safe for concurrent use.
type losses struct {
	key   health.Key
	board *health.Board

	mu sync.Mutex
	// failed, delivered and changed are since the last Check.
	failed, delivered, changed bool
	set                        bool
	reason                     string
}

// newLosses makes the condition of a sink.
func newLosses(board *health.Board, key health.Key) *losses {
	return &losses{key: key, board: board}
}

// Failed reports a lost message, or a broker that cannot be used. reason is text for the operator, without secrets.
func (l *losses) Failed(reason string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed = true
	if l.changed || l.set && reason == l.reason {
		return // reasons that alternate are reported once per Check
	}
	l.set, l.changed, l.reason = true, true, reason
	l.board.Set(l.key, reason)
}

// Delivered reports that the broker took a message.
func (l *losses) Delivered() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.delivered = true
}

// Check clears the condition if it is over.
func (l *losses) Check() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.set && l.delivered && !l.failed {
		l.set = false
		l.board.Clear(l.key)
	}
	l.failed, l.delivered, l.changed = false, false, false
}
