package remote

import (
	"log/slog"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// refusalPause is how long nothing is logged after a line: someone who tries
// secrets must not fill the log.
const refusalPause = 10 * time.Second

// Refusals tell the operator of workers that were not let in, not more often than
// he can read. Its methods may be called at the same time.
type Refusals struct {
	log *slog.Logger
	now func() time.Time

	// mu guards what follows.
	mu    sync.Mutex
	last  time.Time
	quiet int
}

// NewRefusals logs to log.
func NewRefusals(log *slog.Logger, now func() time.Time) *Refusals {
	return &Refusals{log: log, now: now}
}

// Note tells of a worker at addr that was refused, and how many others were since
// the last line.
func (r *Refusals) Note(addr string, why *fault.Fault) {
	r.mu.Lock()
	now := r.now()
	if !r.last.IsZero() && now.Sub(r.last) < refusalPause {
		r.quiet++
		r.mu.Unlock()
		return
	}
	others := r.quiet
	r.last, r.quiet = now, 0
	r.mu.Unlock()
	r.log.Warn("worker refused", "from", printable(addr, maxName), "others", others, fault.Attr(why))
}
