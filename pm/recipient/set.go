package recipient

import (
	"sync"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// pageNonces is about how many nonces share their memory. Honest gateways count from 1 and
// rarely leave the first page; one that jumps uses up its share of the limit of all sets.
const pageNonces = 1024

// checkTickets decides on a payment's tickets, whose signatures were verified before. Accepted
// nonces are taken: until giveBack the same ticket counts as seen. The lock is held for that
// decision alone, so payments of one set are verified, and written, in parallel.
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

// giveBack releases the nonces of tickets that are certainly not in the ledger.
func (t *set) giveBack(nonces []uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, n := range nonces {
		t.nonces.Remove(n)
	}
}

// addPagesLocked counts the pages that nonces use beyond the first, and returns how many are
// new.
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

// set is one set of parameters, issued to one sender.
type set struct {
	hash    protocol.Hash
	sender  core.Address
	expires protocol.L1Block

	// pins and weight are guarded by the mutex of sets.
	pins, weight int

	mu sync.Mutex
	// nonces are those credited, or being credited; extraPages are their pages but the first.
	// Guarded by mu; they do not change while the set is not pinned.
	nonces     pm.Nonces
	extraPages map[uint32]struct{}
}
