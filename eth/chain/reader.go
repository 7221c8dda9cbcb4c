package chain

import (
	"context"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

// stateParts are pieces of the state that are read together or not at all.
type stateParts uint8

const (
	// roundPart is the round, and whether the protocol is paused.
	roundPart stateParts = 1 << iota
	// selfPart is the watched orchestrator's record.
	selfPart
	// poolPart is the pool's size.
	poolPart
	// accountPart is the account's balances and locks.
	accountPart
	// locksPart includes locks that were gone: a reorg can bring one back.
	locksPart

	allParts = roundPart | selfPart | poolPart | accountPart | locksPart
)

func (p stateParts) has(one stateParts) bool { return p&one != 0 }

// reader reads the state of the chain for one account and one orchestrator.
type reader struct {
	client        Client
	account, self core.Address
}

// read reads the parts at a block into a copy of the old state.
func (r reader) read(ctx context.Context, n *network, head protocol.Head, old state, want stateParts) (state, error) {
	now := old
	now.Head = head
	if r.account.IsZero() {
		want &^= accountPart | locksPart
	}
	if r.self.IsZero() {
		want &^= selfPart
	}
	var stake protocol.Delegator
	if err := contracts.ReadAll(ctx, r.source(want), head.Number, r.directReads(n, &now, &stake, want)...); err != nil {
		return state{}, err
	}
	if err := r.readDependent(ctx, n, &now, stake.NextLockID, want); err != nil {
		return state{}, err
	}
	if want.has(accountPart) {
		ether, err := r.client.BalanceAt(ctx, common.Address(r.account), head.Number)
		if err != nil {
			return state{}, err
		}
		now.Balances.Ether = ether
	}
	return now.atHead(now.Head), nil
}

// source returns the endpoints that parts are read from. Work, rewards and redemptions follow from all parts but
// the account's balances, which the chain checks with each transaction.
func (r reader) source(want stateParts) contracts.Batcher {
	if want&^(accountPart|locksPart) == 0 {
		return r.client
	}
	return r.client.Quorum()
}

// directReads returns the reads that depend on no other.
func (r reader) directReads(n *network, now *state, stake *protocol.Delegator, want stateParts) []contracts.Read {
	var reads []contracts.Read
	if want.has(roundPart) {
		// The round follows from the contract's own height: a header's may be missing, or another number.
		reads = append(n.reads.RoundState(&now.Round), n.reads.Paused(&now.Paused), n.reads.BlockNumber(&now.Head.L1))
	}
	if want.has(poolPart) {
		reads = append(reads, n.reads.PoolSize(&now.PoolSize))
	}
	if want.has(selfPart) {
		reads = append(reads, n.reads.Orchestrator(r.self, &now.Self)...)
	}
	if want.has(accountPart) {
		reads = append(reads, n.reads.TokenBalance(r.account, &now.Balances.Token),
			n.reads.Allowance(r.account, &now.Balances.Allowance))
		reads = append(reads, n.reads.Delegator(r.account, stake)...)
	}
	return reads
}

// readDependent reads what depends on the first results: the hashes of rounds, and the locks that may exist.
func (r reader) readDependent(ctx context.Context, n *network, now *state, next protocol.LockID,
	want stateParts) error {
	var reads []contracts.Read
	if want.has(roundPart) {
		last := now.Round.LastInitialized
		now.Round.PreviousHash = protocol.Hash{}
		reads = append(reads, n.reads.RoundHash(last, &now.Round.LastHash))
		if last > 0 {
			reads = append(reads, n.reads.RoundHash(last-1, &now.Round.PreviousHash))
		}
	}
	var locks []protocol.UnbondingLock
	if want.has(accountPart) {
		for _, id := range lockIDs(*now, next, want.has(locksPart)) {
			locks = append(locks, protocol.UnbondingLock{ID: id})
		}
		for i := range locks {
			reads = append(reads, n.reads.UnbondingLock(r.account, locks[i].ID, &locks[i]))
		}
	}
	if err := contracts.ReadAll(ctx, r.source(want), now.Head.Number, reads...); err != nil {
		return err
	}
	if want.has(accountPart) {
		now.Locks, now.NextLock = withStake(locks), next
	}
	return nil
}

// maxLocks bounds how many locks are read: those with the highest IDs. No account has as many at once.
const maxLocks = 2000

// lockIDs returns the locks to read: all, or those that had stake and the new ones.
func lockIDs(old state, next protocol.LockID, all bool) []protocol.LockID {
	var ids []protocol.LockID
	from := old.NextLock
	if all || next < from {
		from = 0
	} else {
		for _, l := range old.Locks {
			ids = append(ids, l.ID)
		}
	}
	if next > maxLocks {
		from = max(from, next-maxLocks)
	}
	for id := from; id < next; id++ {
		ids = append(ids, id)
	}
	return ids
}

// withStake returns the locks that still hold stake.
func withStake(locks []protocol.UnbondingLock) []protocol.UnbondingLock {
	var out []protocol.UnbondingLock
	for _, l := range locks {
		if l.WithdrawRound != 0 {
			out = append(out, l)
		}
	}
	return out
}

// funds reads gateways' funds at a block.
func (r reader) funds(ctx context.Context, n *network, block protocol.L2Block,
	addrs []core.Address) ([]protocol.SenderFunds, error) {
	out := make([]protocol.SenderFunds, len(addrs))
	var reads []contracts.Read
	for i, a := range addrs {
		reads = append(reads, n.reads.Sender(a, &out[i].Sender))
		if !r.self.IsZero() {
			reads = append(reads, n.reads.ClaimedReserve(a, r.self, &out[i].Claimed))
		}
	}
	return out, contracts.ReadAll(ctx, r.client.Quorum(), block, reads...)
}
