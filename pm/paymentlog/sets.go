package paymentlog

import (
	"context"
	"slices"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// Set is what was paid with one set of ticket parameters: the orchestrator's ledger holds its
// counterpart under the same RandHash.
type Set struct {
	RandHash        protocol.Hash
	Recipient       core.Address
	ExpirationBlock protocol.L1Block
	// Nonces are the tickets that the recipient may have, ascending; Open is the subset for
	// which no work was billed.
	Nonces, Open []uint32
	// Value is what the tickets are worth together.
	Value pm.Value
}

// Sets lists the payments that are stored one by one, by set, in the order of their first use.
func (s *Store) Sets(ctx context.Context) ([]Set, error) {
	var out []Set
	at := make(map[protocol.Hash]int)
	err := s.Each(ctx, func(p *Payment) error {
		if p.State == Unsent || p.Tickets() == 0 {
			return nil
		}
		i, known := at[p.RandHash]
		if !known {
			i = len(out)
			at[p.RandHash] = i
			out = append(out, Set{RandHash: p.RandHash, Recipient: p.Recipient, ExpirationBlock: p.ExpirationBlock})
		}
		set := &out[i]
		for n := p.First; ; n++ {
			set.Nonces = append(set.Nonces, n)
			if p.State != Answered {
				set.Open = append(set.Open, n)
			}
			if n >= p.Last {
				break
			}
		}
		set.Value = set.Value.Add(p.Value())
		return nil
	})
	for i := range out {
		slices.Sort(out[i].Nonces)
		slices.Sort(out[i].Open)
	}
	return out, err
}
