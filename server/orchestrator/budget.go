package orchestrator

import "sync"

const (
	// unpaidShare is the part of a budget, in quarters, that requests may hold together
	// which have not been paid for yet; the rest is for paid work.
	unpaidShare = 3
	// strangerShare is the part of it, in quarters, that peers may hold together which
	// never paid for a request: between it and unpaidShare is what keeps those at work that
	// did, because paid work, too, is unpaid until its body is there.
	strangerShare = 2
	// peerShare is the part of it, in quarters, that one peer may hold of that.
	peerShare = 1
	quarters  = 4
	// maxPayers bounds the peers that are remembered for having paid. Those at work are
	// back at once when all are forgotten.
	maxPayers = 4096
)

// budget is a number of bytes that many requests share. Nobody waits for it:
// what does not fit is refused, and its gateway goes elsewhere.
type budget struct {
	max int64

	mu sync.Mutex
	// used is what is held, unpaid what of it was not paid for yet, and peers who holds
	// that; payers are those who paid for a request before. Guarded by mu.
	used, unpaid int64
	peers        map[string]int64
	payers       map[string]struct{}
}

func newBudget(most int64) *budget {
	return &budget{max: most, peers: make(map[string]int64), payers: make(map[string]struct{})}
}

// take reports whether n more bytes fit, and books them if they do: for the peer's
// unpaid request, or for paid work where it is "".
func (b *budget) take(n int64, peer string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used+n > b.max {
		return false
	}
	if peer != "" {
		share := int64(strangerShare)
		if _, payer := b.payers[peer]; payer {
			share = unpaidShare
		}
		if b.unpaid+n > b.max/quarters*share || b.peers[peer]+n > b.max/quarters*peerShare {
			return false
		}
		b.unpaid += n
		b.peers[peer] += n
	}
	b.used += n
	return true
}

// give returns n bytes that were taken for the same peer.
func (b *budget) give(n int64, peer string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
	b.settle(n, peer)
}

// paid makes n bytes of an unpaid request those of paid work.
func (b *budget) paid(n int64, peer string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.settle(n, peer)
	if peer == "" {
		return
	}
	if len(b.payers) >= maxPayers {
		clear(b.payers)
	}
	b.payers[peer] = struct{}{}
}

// settle: the caller holds mu.
func (b *budget) settle(n int64, peer string) {
	if peer == "" {
		return
	}
	b.unpaid -= n
	if b.peers[peer] -= n; b.peers[peer] <= 0 {
		delete(b.peers, peer)
	}
}
