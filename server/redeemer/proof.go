package redeemer

import (
	"context"
	"math/big"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// proves reports whether a new ticket makes the host that hands it in known. It must not be
// stored yet: redeemed tickets are public on the chain. And its sender's funds must pay it
// alongside the others that wait, and more than its redemption costs: any client may fund an
// account with next to nothing and sign any number of tickets. One that is never redeemed costs
// its sender nothing: its round must be the chain's, and its parameters expire in time.
func (s *service) proves(ctx context.Context, t *protocol.WinningTicket, expires protocol.L1Block) bool {
	if s.opt.View == nil {
		return false
	}
	v := s.opt.View()
	if !v.Known || v.Stale || s.checkRound(t) != nil || t.CreationRound > v.Round.LastInitialized ||
		expires > v.Round.End() {
		return false
	}
	gas := new(big.Int).SetUint64(uint64(s.opt.RedeemGas))
	if cost, err := core.WeiOf(gas.Mul(gas, v.Head.BaseFee.Big())); err != nil || !pm.WorthGas(t.FaceValue, cost) {
		return false
	}
	if taken, err := s.opt.Taken(ctx, t.Hash()); err != nil || taken {
		return false
	}
	funds, err := s.opt.Funds(ctx, t.Sender)
	return err == nil && pm.Available(funds, v.PoolSize).Cmp(s.opt.Redeemer.Pending(t.Sender).Add(t.FaceValue)) >= 0
}
