package recipient

import (
	"sync"

	"github.com/tuttinode/tutti/core"
)

// maxReadsPerSender is how many payments of one gateway are verified at once. Verifying a
// ticket costs as much as making one, and a worthless ticket costs its gateway less: no gateway
// may occupy all CPU cores with those.
const maxReadsPerSender = 4

// readLimiter bounds the concurrent verifications of each gateway's payments.
type readLimiter struct {
	mu       sync.Mutex
	bySender map[core.Address]*senderReads // guarded by mu
}

// senderReads is the limit of one gateway.
type senderReads struct {
	// users counts the callers that verify or wait. Guarded by the mutex of readLimiter.
	users int
	slots chan struct{}
}

func newReadLimiter() *readLimiter {
	return &readLimiter{bySender: make(map[core.Address]*senderReads)}
}

// acquire waits for a free slot of a gateway. It has no timeout: others take milliseconds, and
// a gateway that disconnects does not withdraw its payment.
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
