package access

import (
	"sync"
	"time"
)

// Bounds on wrong tokens: a sender may be wrong wrongAtOnce times at once and once more
// per wrongRefill. Beyond maxWrongSenders all further senders share one count.
const (
	wrongAtOnce     = 10
	wrongRefill     = 2 * time.Second
	maxWrongSenders = 512
	otherSenders    = "others"
)

// WrongTokens counts wrong tokens by sender. It is safe for concurrent use.
type WrongTokens struct {
	now func() time.Time

	mu      sync.Mutex
	senders map[string]triesLeft // guarded by mu
}

// triesLeft is how many tries were left at a time.
type triesLeft struct {
	left float64
	at   time.Time
}

// NewWrongTokens makes empty counts.
func NewWrongTokens(now func() time.Time) *WrongTokens {
	return &WrongTokens{now: now, senders: make(map[string]triesLeft)}
}

// Allowed reports whether the sender is listened to, and if not for how long.
func (t *WrongTokens) Allowed(sender string) (ok bool, wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := t.present(t.name(sender))
	if b.left >= 1 {
		return true, 0
	}
	return false, time.Duration((1 - b.left) * float64(wrongRefill))
}

// Wrong takes one try from the sender.
func (t *WrongTokens) Wrong(sender string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	name := t.name(sender)
	b := t.present(name)
	b.left = max(0, b.left-1)
	t.senders[name] = b
	if len(t.senders) > maxWrongSenders {
		t.forget()
	}
}

// name is under what a sender is counted. The caller holds mu.
func (t *WrongTokens) name(sender string) string {
	if _, known := t.senders[sender]; !known && len(t.senders) >= maxWrongSenders {
		return otherSenders
	}
	return sender
}

func (t *WrongTokens) present(name string) triesLeft {
	now := t.now()
	b, known := t.senders[name]
	if !known {
		return triesLeft{left: wrongAtOnce, at: now}
	}
	b.left = min(wrongAtOnce, b.left+float64(now.Sub(b.at))/float64(wrongRefill))
	b.at = now
	return b
}

// forget drops the senders whose tries are all left again. The caller holds mu.
func (t *WrongTokens) forget() {
	for name := range t.senders {
		if t.present(name).left >= wrongAtOnce {
			delete(t.senders, name)
		}
	}
}
