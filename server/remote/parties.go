package remote

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
)

// Parties names the gateways for which workers of our own kind do something: one that ends
// media workers, or whose jobs wait for pictures, is to harm itself there too, and not all
// others for which the same orchestrator works.
type Parties struct {
	salt [16]byte
}

// NewParties draws what makes names mean nothing elsewhere.
func NewParties(random io.Reader) (*Parties, error) {
	p := new(Parties)
	if _, err := io.ReadFull(random, p.salt[:]); err != nil {
		return nil, fmt.Errorf("draw a salt for names of parties: %w", err)
	}
	return p, nil
}

// Name stands for a party as long as the process runs, and tells workers neither its
// account nor its address. "" stays "": it is not known whose
// work it is.
func (p *Parties) Name(party string) string {
	if party == "" {
		return ""
	}
	sum := sha256.Sum256(slices.Concat(p.salt[:], []byte(party)))
	return hex.EncodeToString(sum[:8])
}
