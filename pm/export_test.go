package pm

import (
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// Preimage is what a ticket's hash is made of.
func (p *Params) Preimage(sender core.Address, nonce uint32) []byte {
	b := p.preimage(sender)
	putNonce(b, nonce)
	return b
}

// Read checks one ticket of a payment alone.
func (p *Payment) Read(i int, rand protocol.Word) (signed, wins bool) {
	return newVerifier(p, rand).verify(&p.Tickets[i])
}
