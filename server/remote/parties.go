package remote

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
)

// Parties makes the names by which tutti workers distinguish the gateways behind one
// orchestrator: a gateway that crashes media workers, or whose jobs wait for images, must not
// delay the others.
type Parties struct {
	salt [16]byte
}

// NewParties draws a random salt, so that names mean nothing to another process.
func NewParties(random io.Reader) (*Parties, error) {
	p := new(Parties)
	if _, err := io.ReadFull(random, p.salt[:]); err != nil {
		return nil, fmt.Errorf("draw a salt for names of parties: %w", err)
	}
	return p, nil
}

// Name returns a party's name, which is valid as long as the process runs and hides the party's
// account and address from workers. The name of "", an unknown party, is "".
func (p *Parties) Name(party string) string {
	if party == "" {
		return ""
	}
	sum := sha256.Sum256(slices.Concat(p.salt[:], []byte(party)))
	return hex.EncodeToString(sum[:8])
}
