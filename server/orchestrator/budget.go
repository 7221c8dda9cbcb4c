package orchestrator

import (
	"math"
	"sync"
)

const (
	// unpaidShare is the part of a budget, in quarters, that unpaid bytes may take
	// together; the rest is for paid work.
	unpaidShare = 3
	// newPeerShare is the part of it, in quarters, for peers that never paid a request. The
	// difference to unpaidShare is for peers that did, because paid work also counts as
	// unpaid until its body has arrived.
	newPeerShare = 2
	// peerShare is the part of it, in quarters, that one peer may have, and firstShare the part
	// for the only request of a peer.
	peerShare, firstShare = 1, 2
	quarters              = 4
	// maxPayers bounds the recorded payers, which are peers, and accounts at an address. A
	// dropped payer is recorded again with its next payment.
	maxPayers = 8192
)

// budget is memory that all requests share. Requests do not wait for it: what does not fit is
// refused, and its gateway tries another orchestrator. No peer may have more than what is left
// for all others, whatever it paid.
type budget struct {
	max int64

	mu sync.Mutex
	// used are the bytes in use, unpaid those of them that are not paid yet, and peers both
	// by peer; payers are those that paid a request before. Guarded by mu.
	used, unpaid int64
	peers        map[string]usage
	payers       map[string]struct{}
}

// usage is one peer's part of a budget.
type usage struct{ bytes, unpaid int64 }

// claim is one request's part of a budget. Its fields belong to the request.
type claim struct {
	// peer is charged: an account, or off-chain an address.
	peer string
	// account is the account, source the account at the request's address; "" if peer is
	// enough.
	account, source string
	// covered is how many of its bytes are paid.
	covered int64
	bytes   int64
}

func (c *claim) unpaid() int64 { return max(0, c.bytes-c.covered) }

func newBudget(most int64) *budget {
	return &budget{max: most, peers: make(map[string]usage), payers: make(map[string]struct{})}
}

// jobClaim returns the claim of an AI job. Orchestrators of a gateway get its signed job headers,
// and could send bodies in its name: until the account has paid from an address, requests from
// there have their own share.
func (b *budget) jobClaim(account, source string) claim {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := claim{peer: source, account: account, source: source}
	if _, known := b.payers[source]; known {
		c.peer = account
	}
	return c
}

// take takes n more bytes for a request, and reports whether they fit.
func (b *budget) take(n int64, c *claim) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	before, mine := c.unpaid(), b.peers[c.peer]
	if left := b.max - b.used - n; left < 0 || mine.bytes+n > left {
		return false
	}
	only := mine.bytes == c.bytes
	c.bytes += n
	more := c.unpaid() - before
	if more > 0 && !b.fitsLocked(c.peer, mine.unpaid, more, only) {
		c.bytes -= n
		return false
	}
	b.accountLocked(c.peer, n, more)
	return true
}

// fitsLocked reports whether a peer with so many unpaid bytes may have more.
func (b *budget) fitsLocked(peer string, unpaid, more int64, only bool) bool {
	all, own := int64(newPeerShare), int64(peerShare)
	if _, payer := b.payers[peer]; payer {
		all = unpaidShare
	}
	if only {
		own = firstShare
	}
	return b.unpaid+more <= b.max/quarters*all && unpaid+more <= b.max/quarters*own
}

// release returns n bytes that were taken.
func (b *budget) release(n int64, c *claim) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before := c.unpaid()
	c.bytes -= n
	b.accountLocked(c.peer, -n, c.unpaid()-before)
}

// paid marks a request as paid, and its peer as a payer.
func (b *budget) paid(c *claim) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.accountLocked(c.peer, 0, -c.unpaid())
	c.covered = math.MaxInt64
	for _, payer := range []string{c.peer, c.account, c.source} {
		b.recordPayerLocked(payer)
	}
}

// recordPayerLocked records a payer.
func (b *budget) recordPayerLocked(payer string) {
	if payer == "" {
		return
	}
	if _, known := b.payers[payer]; !known && len(b.payers) >= maxPayers {
		for other := range b.payers { // any one
			delete(b.payers, other)
			break
		}
	}
	b.payers[payer] = struct{}{}
}

// accountLocked changes the bytes in use.
func (b *budget) accountLocked(peer string, bytes, unpaid int64) {
	b.used += bytes
	b.unpaid += unpaid
	mine := b.peers[peer]
	mine.bytes += bytes
	mine.unpaid += unpaid
	if mine == (usage{}) {
		delete(b.peers, peer)
		return
	}
	b.peers[peer] = mine
}
