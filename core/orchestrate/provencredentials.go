package orchestrate

import (
	"sync"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/signature"
)

// maxProven bounds the remembered credentials, of about 150 bytes each.
const maxProven = 4096

// provenCredentials remembers credentials whose signature was valid: all AI jobs under one token come with the same
// ones, and recovering a signer costs more than anything else of a job's admission. Whether a signature is valid
// depends on nothing else, so it never ends; what tokens and payments are worth is checked for each job. The zero
// value is empty. It is safe for concurrent use.
type provenCredentials struct {
	mu    sync.Mutex
	known map[credential]struct{}
}

// credential is a signature, and what it is of.
type credential struct {
	sender core.Address
	digest [signature.HashSize]byte
	sig    [signature.Length]byte
}

// has reports whether a credential was valid.
func (p *provenCredentials) has(c *credential) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, known := p.known[*c]
	return known
}

// add remembers a valid credential. When there are too many, all are forgotten: any account can sign new ones, which
// must not cost more than checking them.
func (p *provenCredentials) add(c *credential) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil || len(p.known) >= maxProven {
		p.known = make(map[credential]struct{})
	}
	p.known[*c] = struct{}{}
}
