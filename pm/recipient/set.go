package recipient

import (
	"sync"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// pageNonces is about how many nonces share their memory. Honest gateways count
// from 1 and rarely leave the first page; one that jumps pays with its share of the
// room that all sets have.
const pageNonces = 1024

// judge decides on a payment's tickets, whose signatures were read before. Those
// accepted are taken: until giveBack the same ticket in another payment was seen
// before. The lock is held for that decision alone, so payments of one set are read,
// and written, beside one another.
func (t *set) checkTickets(r *pm.Reading) pm.Verdict {
	if t == nil {
		return r.Verify(nil)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	v := r.Verify(&t.nonces)
	t.addPagesLocked(v.Accepted)
	return v
}

// giveBack makes tickets good again that are certainly not in the books.
func (t *set) giveBack(nonces []uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, n := range nonces {
		t.nonces.Remove(n)
	}
}

// reach notes how far apart nonces are, and returns how many pages that adds. The
// caller holds mu, or has the set alone.
func (t *set) addPagesLocked(nonces []uint32) (added int) {
	for _, n := range nonces {
		page := n / pageNonces
		if _, known := t.extraPages[page]; known || page == 0 {
			continue
		}
		if t.extraPages == nil {
			t.extraPages = make(map[uint32]struct{})
		}
		t.extraPages[page] = struct{}{}
		added++
	}
	return added
}

// set is one set of parameters. They were given to one sender alone.
type set struct {
	hash    protocol.Hash
	sender  core.Address
	expires protocol.L1Block

	// pins and weight are guarded by the mutex of sets.
	pins, weight int

	mu sync.Mutex
	// nonces are those credited, or being credited; far are their pages but the first.
	// Guarded by mu; they do not change while nobody has the set pinned.
	nonces     pm.Nonces
	extraPages map[uint32]struct{}
}
