package remote

import (
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// refusalPause is the minimum time between log lines: guessing of secrets must not fill the
// log.
const refusalPause = 10 * time.Second

// Refusals logs refused workers at a limited rate. Its methods are safe for concurrent use.
type Refusals struct {
	log *slog.Logger
	now func() time.Time

	// mu guards what follows.
	mu    sync.Mutex
	last  time.Time
	quiet int
	// counts are by code, since the start.
	counts map[fault.Code]uint64
}

// NewRefusals logs to log.
func NewRefusals(log *slog.Logger, now func() time.Time) *Refusals {
	return &Refusals{log: log, now: now, counts: make(map[fault.Code]uint64)}
}

// Record counts a refused worker, and logs it with the number of others since the last line.
func (r *Refusals) Record(addr string, why *fault.Fault) {
	r.mu.Lock()
	r.counts[why.Code]++ // the codes are our own, so few
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

// Counts returns how many were refused since the start, by code.
func (r *Refusals) Counts() map[fault.Code]uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.counts)
}
