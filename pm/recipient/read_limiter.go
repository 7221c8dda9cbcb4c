package recipient

import (
	"sync"

	"github.com/tuttinode/tutti/core"
)

// readsAtOnce is how many payments of one gateway are read beside one another. Reading
// a ticket costs as much as making one, and one that is worth nothing costs its gateway
// less: nobody shall have all processors with those.
const maxReadsPerSender = 4

// readers let so many of each gateway's payments be read at once.
type readLimiter struct {
	mu sync.Mutex
	bySender map[core.Address]*senderReads // guarded by mu
}

// turn is one gateway's line.
type senderReads struct {
	// users are those who read or wait. Guarded by the mutex of readers.
	users int
	slots chan struct{}
}

func newReadLimiter() *readLimiter { return &readLimiter{bySender: make(map[core.Address]*senderReads)} }

// enter waits for a gateway's turn. It is not given up: others take milliseconds, and
// a gateway that goes away does not take its payment with it.
func (r *readLimiter) acquire(sender core.Address) (release func()) {
	r.mu.Lock()
	t := r.bySender[sender]
	if t == nil {
		t = &senderReads{slots: make(chan struct{}, maxReadsPerSender)}
		r.bySender[sender] = t
	}
	t.users++
	r.mu.Unlock()
	t.slots <- struct{}{}
	return func() {
		<-t.slots
		r.mu.Lock()
		defer r.mu.Unlock()
		if t.users--; t.users == 0 {
			delete(r.bySender, sender)
		}
	}
}
