package contracts

import (
	"context"
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// LoadRound reads the round of a block, hashes included. At Latest the
// hashes may belong to a block after that of the rest; they never change.
func (r Reads) LoadRound(ctx context.Context, b Batcher, at protocol.L2Block) (protocol.RoundState, error) {
	var out protocol.RoundState
	if err := ReadAll(ctx, b, at, r.RoundState(&out)...); err != nil {
		return protocol.RoundState{}, err
	}
	hashes := []Read{r.RoundHash(out.LastInitialized, &out.LastHash)}
	if out.LastInitialized > 0 {
		hashes = append(hashes, r.RoundHash(out.LastInitialized-1, &out.PreviousHash))
	}
	if err := ReadAll(ctx, b, at, hashes...); err != nil {
		return protocol.RoundState{}, err
	}
	return out, nil
}

// LoadLocks reads the unbonding locks of an account that still hold stake, by ID.
// They are numbered from 0 and there are next of them.
func (r Reads) LoadLocks(ctx context.Context, b Batcher, at protocol.L2Block, account core.Address,
	next protocol.LockID) ([]protocol.UnbondingLock, error) {
	if next > maxLocks {
		return nil, fault.New(fault.ContractAnswerInvalid, "read unbonding locks",
			fmt.Sprintf("%d locks of one account", next))
	}
	all := make([]protocol.UnbondingLock, next)
	reads := make([]Read, next)
	for i := range all {
		reads[i] = r.UnbondingLock(account, protocol.LockID(i), &all[i])
	}
	if err := ReadAll(ctx, b, at, reads...); err != nil {
		return nil, err
	}
	var held []protocol.UnbondingLock
	for _, lock := range all {
		if lock.WithdrawRound != 0 {
			held = append(held, lock)
		}
	}
	return held, nil
}

// maxLocks is far beyond what an account can have made; more is a faulty answer.
const maxLocks = 100_000
