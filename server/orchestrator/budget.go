package orchestrator

import (
	"math"
	"sync"
)

const (
	// unpaidShare is the part of a budget, in quarters, that unpaid bytes may take
	// together; the rest is for paid work.
	unpaidShare = 3
	// strangerShare is the part of it, in quarters, for peers that never had a request
	// paid: between it and unpaidShare is what keeps those at work that did, because
	// paid work, too, is unpaid until its body is there.
	strangerShare = 2
	// peerShare is the part of it, in quarters, that one peer may have of that, and
	// firstShare the part for the only request of a peer.
	peerShare, firstShare = 1, 2
	quarters              = 4
	// maxPayers bounds the peers, and accounts at an address, that are remembered for having
	// paid. Those at work are back at once when they are forgotten.
	maxPayers = 8192
)

// budget is a number of bytes that many requests share. Nothing waits for it: what does
// not fit is refused, and its gateway goes elsewhere. Whatever a peer paid, it may have no
// more than is left for all others.
type budget struct {
	max int64

	mu sync.Mutex
	// used is what is held, unpaid what of it was not paid for yet, and peers the same
	// by peer; payers are those that had a request paid before. Guarded by mu.
	used, unpaid int64
	peers        map[string]held
	payers       map[string]struct{}
}

// held is what one peer has of a budget.
type held struct{ bytes, unpaid int64 }

// claim is one request's part of a budget. Its fields belong to the request.
type claim struct {
	// peer is who is held to account: an account, or off-chain an address.
	peer string
	// account and source are the account, and the account at the address that the request came
	// from; "" where the peer is known by itself.
	account, source string
	// covered is how many of its bytes count as paid.
	covered int64
	bytes   int64
}

func (c *claim) unpaid() int64 { return max(0, c.bytes-c.covered) }

func newBudget(most int64) *budget {
	return &budget{max: most, peers: make(map[string]held), payers: make(map[string]struct{})}
}

// jobClaim is that of an AI job. Orchestrators that work for a gateway know what it signs for jobs,
// and could send bodies in its name: before it has paid from an address, what comes from there
// has a share of its own.
func (b *budget) jobClaim(account, source string) claim {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := claim{peer: source, account: account, source: source}
	if _, known := b.payers[source]; known {
		c.peer = account
	}
	return c
}

// take reports whether a request may have n more bytes, and books them if it may.
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
	if more > 0 && !b.fits(c.peer, mine.unpaid, more, only) {
		c.bytes -= n
		return false
	}
	b.book(c.peer, n, more)
	return true
}

// fits reports whether a peer that has so many unpaid bytes may have more. The caller
// holds mu.
func (b *budget) fits(peer string, unpaid, more int64, only bool) bool {
	all, own := int64(strangerShare), int64(peerShare)
	if _, payer := b.payers[peer]; payer {
		all = unpaidShare
	}
	if only {
		own = firstShare
	}
	return b.unpaid+more <= b.max/quarters*all && unpaid+more <= b.max/quarters*own
}

// give returns n bytes that were taken.
func (b *budget) give(n int64, c *claim) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before := c.unpaid()
	c.bytes -= n
	b.book(c.peer, -n, c.unpaid()-before)
}

// paid makes a request paid work, and its peer one that has paid.
func (b *budget) paid(c *claim) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.book(c.peer, 0, -c.unpaid())
	c.covered = math.MaxInt64
	for _, payer := range []string{c.peer, c.account, c.source} {
		b.remember(payer)
	}
}

// remember notes one that has paid. The caller holds mu.
func (b *budget) remember(payer string) {
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

// book changes what is held. The caller holds mu.
func (b *budget) book(peer string, bytes, unpaid int64) {
	b.used += bytes
	b.unpaid += unpaid
	mine := b.peers[peer]
	mine.bytes += bytes
	mine.unpaid += unpaid
	if mine == (held{}) {
		delete(b.peers, peer)
		return
	}
	b.peers[peer] = mine
}
