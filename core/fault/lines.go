package fault

import (
	"sync"
	"time"
)

// Failed segments and jobs have log lines at these rates: a gateway can make requests that fail
// before they cost it anything, as fast as they are answered, and must not fill the disk. One peer
// does not use up the lines of all.
const (
	peerBurst, peerEvery = 20, time.Second
	allBurst, allEvery   = 200, time.Second / 10
	// maxPeers bounds the peers that are remembered.
	maxPeers = 1024
)

// Lines limits the log lines of failures that peers can cause. Its zero value is ready.
type Lines struct {
	mu sync.Mutex
	// dueAt is when the next line would be due without saved-up ones, peers the same by peer, and
	// suppressed counts the failures without a line since the last line. Guarded by mu.
	dueAt      time.Time
	peers      map[string]time.Time
	suppressed int
}

// Allow reports whether a failure of a peer's request gets a line, and how many got none since the
// last line.
func (l *Lines) Allow(peer string, now time.Time) (suppressed int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all, okAll := takeLine(l.dueAt, now, allBurst, allEvery)
	one, okOne := takeLine(l.peers[peer], now, peerBurst, peerEvery)
	if !okAll || !okOne {
		l.suppressed++
		return 0, false
	}
	l.dueAt = all
	l.rememberLocked(peer, one, now)
	suppressed, l.suppressed = l.suppressed, 0
	return suppressed, true
}

// rememberLocked records a peer's line, if there is space besides peers that had lines lately.
func (l *Lines) rememberLocked(peer string, due, now time.Time) {
	if l.peers == nil {
		l.peers = make(map[string]time.Time)
	}
	if _, known := l.peers[peer]; !known && len(l.peers) >= maxPeers {
		for other, due := range l.peers {
			if !due.After(now.Add(-peerBurst * peerEvery)) {
				delete(l.peers, other)
			}
		}
		if len(l.peers) >= maxPeers {
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
