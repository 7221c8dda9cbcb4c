package pm

import (
	"errors"
	"math/bits"
)

// MaxNonce is the largest nonce that is taken under one set of parameters. Senders
// count from 1.
const MaxNonce = 1<<20 - 1

// Why a nonce is not taken.
var (
	ErrNonceSeen    = errors.New("already seen")
	ErrNonceTooMany = errors.New("too many values")
)

// pageBits is how many nonces one page holds. Most sets see a few nonces from 1 on
// and have one page.
const pageBits = 1024

type noncePage [pageBits / 64]uint64

// Nonces are the nonces that were credited under one set of parameters. It takes
// about 200 bytes for the nonces up to 1023, and never more than 140 KB whatever a
// sender chooses. The zero value is empty. It is not safe for concurrent use.
type Nonces struct {
	pages []*noncePage
	count int
}

// Has reports whether a nonce is there.
func (n *Nonces) Has(nonce uint32) bool {
	page := int(nonce / pageBits)
	if n == nil || page >= len(n.pages) || n.pages[page] == nil {
		return false
	}
	word, bit := bitOf(nonce)
	return n.pages[page][word]&bit != 0
}

// Add takes a nonce in. Errors are ErrNonceSeen and ErrNonceTooMany.
func (n *Nonces) Add(nonce uint32) error {
	if err := n.check(nonce); err != nil {
		return err
	}
	page := int(nonce / pageBits)
	if page >= len(n.pages) {
		n.pages = append(n.pages, make([]*noncePage, page+1-len(n.pages))...)
	}
	if n.pages[page] == nil {
		n.pages[page] = new(noncePage)
	}
	word, bit := bitOf(nonce)
	n.pages[page][word] |= bit
	n.count++
	return nil
}

// check is what Add would return.
func (n *Nonces) check(nonce uint32) error {
	switch {
	case n.Has(nonce):
		return ErrNonceSeen
	case nonce > MaxNonce:
		return ErrNonceTooMany
	}
	return nil
}

// Remove gives a nonce back; its ticket was not credited after all.
func (n *Nonces) Remove(nonce uint32) {
	if !n.Has(nonce) {
		return
	}
	word, bit := bitOf(nonce)
	n.pages[nonce/pageBits][word] &^= bit
	n.count--
}

// Count returns how many there are.
func (n *Nonces) Count() int {
	if n == nil {
		return 0
	}
	return n.count
}

// All lists them in ascending order.
func (n *Nonces) All() []uint32 {
	if n.Count() == 0 {
		return nil
	}
	all := make([]uint32, 0, n.count)
	for page, p := range n.pages {
		if p == nil {
			continue
		}
		for word, set := range p {
			for ; set != 0; set &= set - 1 {
				all = append(all, uint32(page*pageBits+word*64+bits.TrailingZeros64(set)))
			}
		}
	}
	return all
}

func bitOf(nonce uint32) (word int, bit uint64) {
	return int(nonce % pageBits / 64), 1 << (nonce % 64)
}
