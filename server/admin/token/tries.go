package token

import (
	"sync"
	"time"
)

// Bounds on wrong tokens: a sender may be wrong burst times at once and once more
// per refill. Beyond maxSenders all further senders share one count.
const (
	burst      = 10
	refill     = 2 * time.Second
	maxSenders = 512
	others     = "others"
)

// Tries counts wrong tokens by sender. It is safe for concurrent use.
type Tries struct {
	now func() time.Time

	mu      sync.Mutex
	senders map[string]bucket // guarded by mu
}

// bucket is how many tries were left at a time.
type bucket struct {
	left float64
	at   time.Time
}

// NewTries makes empty counts.
func NewTries(now func() time.Time) *Tries {
	return &Tries{now: now, senders: make(map[string]bucket)}
}

// Allowed reports whether the sender is listened to, and if not for how long.
func (t *Tries) Allowed(sender string) (ok bool, wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := t.present(t.name(sender))
	if b.left >= 1 {
		return true, 0
	}
	return false, time.Duration((1 - b.left) * float64(refill))
}

// Wrong takes one try from the sender.
func (t *Tries) Wrong(sender string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	name := t.name(sender)
	b := t.present(name)
	b.left = max(0, b.left-1)
	t.senders[name] = b
	if len(t.senders) > maxSenders {
		t.forget()
	}
}

// name is under what a sender is counted. The caller holds mu.
func (t *Tries) name(sender string) string {
	if _, known := t.senders[sender]; !known && len(t.senders) >= maxSenders {
		return others
	}
	return sender
}

func (t *Tries) present(name string) bucket {
	now := t.now()
	b, known := t.senders[name]
	if !known {
		return bucket{left: burst, at: now}
	}
	b.left = min(burst, b.left+float64(now.Sub(b.at))/float64(refill))
	b.at = now
	return b
}

// forget drops the senders whose tries are all left again. The caller holds mu.
func (t *Tries) forget() {
	for name := range t.senders {
		if t.present(name).left >= burst {
			delete(t.senders, name)
		}
	}
}
