package remote

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/access"
)

// refusalPause is the minimum time between log lines: guessing of secrets must not fill the
// log.
const refusalPause = 10 * time.Second

// Refusals logs refused workers, and those that come and go, at a limited rate. Its methods are safe for concurrent
// use.
type Refusals struct {
	log *slog.Logger
	now func() time.Time
	// arrivals limits the lines of workers that come and go, by host.
	arrivals fault.Lines

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

// LogArrival logs that a worker came or left. Of a host that has workers come and go all the time there are few lines.
func (r *Refusals) LogArrival(level slog.Level, what, worker, addr string, attrs ...any) {
	others, ok := r.arrivals.Allow(access.Host(addr), r.now())
	if !ok {
		return
	}
	attrs = append([]any{"worker", worker, "addr", addr}, attrs...)
	if others > 0 {
		attrs = append(attrs, "others", others)
	}
	r.log.Log(context.Background(), level, what, attrs...)
}

// Counts returns how many were refused since the start, by code.
func (r *Refusals) Counts() map[fault.Code]uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.counts)
}
