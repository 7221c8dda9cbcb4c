package orchestrate

import (
	"log/slog"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// Failed segments and jobs have log lines at these rates: a gateway can make requests that fail
// before they cost it anything, as fast as they are answered, and must not fill the disk. One peer
// does not use up the lines of all.
const (
	peerFailureBurst, peerFailureEvery = 20, time.Second
	failureBurst, failureEvery         = 200, time.Second / 10
	// maxFailurePeers bounds the peers that are remembered.
	maxFailurePeers = 1024
)

// failureLog limits the log lines of failed segments and jobs. Its zero value is ready.
type failureLog struct {
	mu sync.Mutex
	// dueAt is when the next line would be due without saved-up ones, peers the same by peer, and
	// suppressed counts the failures without a line since the last line. Guarded by mu.
	dueAt      time.Time
	peers      map[string]time.Time
	suppressed int
}

// allow reports whether a failure of a peer's request gets a line, and how many got none since the
// last line.
func (l *failureLog) allow(peer string, now time.Time) (suppressed int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all, okAll := takeLine(l.dueAt, now, failureBurst, failureEvery)
	one, okOne := takeLine(l.peers[peer], now, peerFailureBurst, peerFailureEvery)
	if !okAll || !okOne {
		l.suppressed++
		return 0, false
	}
	l.dueAt = all
	l.rememberLocked(peer, one, now)
	suppressed, l.suppressed = l.suppressed, 0
	return suppressed, true
}

// rememberLocked records a peer's line, if there is space beside peers that had lines lately.
func (l *failureLog) rememberLocked(peer string, due, now time.Time) {
	if l.peers == nil {
		l.peers = make(map[string]time.Time)
	}
	if _, known := l.peers[peer]; !known && len(l.peers) >= maxFailurePeers {
		for other, due := range l.peers {
			if !due.After(now.Add(-peerFailureBurst * peerFailureEvery)) {
				delete(l.peers, other)
			}
		}
		if len(l.peers) >= maxFailurePeers {
			return
		}
	}
	l.peers[peer] = due
}

// takeLine takes one line of a rate whose next one is due at a time, of which at most burst are
// saved up.
func takeLine(due, now time.Time, burst int, every time.Duration) (next time.Time, ok bool) {
	if saved := now.Add(-time.Duration(burst) * every); due.Before(saved) || due.After(now.Add(every)) {
		due = saved // also after a clock that was ahead
	}
	next = due.Add(every)
	return next, !next.After(now)
}

// failureLevel returns the level of a failed request's line, and its attributes with the number of
// failures without a line before it. Our own defects always have a line.
func (o *Orchestrator) failureLevel(level slog.Level, attrs []slog.Attr, from string, err error) (slog.Level,
	[]slog.Attr) {
	if fault.ClassOf(err) == fault.Internal || level < slog.LevelInfo {
		return level, attrs
	}
	suppressed, ok := o.failures.allow(core.PeerName(from), o.opt.Now())
	switch {
	case !ok:
		level = slog.LevelDebug
	case suppressed > 0:
		attrs = append(attrs, slog.Int("others", suppressed))
	}
	return level, attrs
}
