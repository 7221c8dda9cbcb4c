package chain

import (
	"context"
	"maps"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
	"github.com/tuttinode/tutti/eth/ethcall"
)

// newest is the contracts and the block that a reading is of.
func (c *Chain) newest(ctx context.Context) (*network, protocol.L2Block, error) {
	head, err := c.opt.Client.Head(ctx)
	if err != nil {
		return nil, 0, err
	}
	n, err := c.contracts(ctx)
	return n, head.Number, err
}

// Head asks for the newest block.
func (c *Chain) Head(ctx context.Context) (protocol.Head, error) { return c.opt.Client.Head(ctx) }

// Round reads the round of the newest block.
func (c *Chain) Round(ctx context.Context) (protocol.RoundState, error) {
	n, block, err := c.newest(ctx)
	if err != nil {
		return protocol.RoundState{}, err
	}
	return n.reads.LoadRound(ctx, c.opt.Client.Agreed(), block)
}

// Orchestrator reads an orchestrator's record.
func (c *Chain) Orchestrator(ctx context.Context, who core.Address) (protocol.Orchestrator, error) {
	var out protocol.Orchestrator
	err := c.readAll(ctx, func(r contracts.Reads) []contracts.Read { return r.Orchestrator(who, &out) })
	return out, err
}

// Delegator reads an account's stake.
func (c *Chain) Delegator(ctx context.Context, who core.Address) (protocol.Delegator, error) {
	var out protocol.Delegator
	err := c.readAll(ctx, func(r contracts.Reads) []contracts.Read { return r.Delegator(who, &out) })
	return out, err
}

// UnbondingLocks reads an account's locks that hold stake.
func (c *Chain) UnbondingLocks(ctx context.Context, who core.Address) ([]protocol.UnbondingLock, error) {
	n, block, err := c.newest(ctx)
	if err != nil {
		return nil, err
	}
	var stake protocol.Delegator
	if err := contracts.ReadAll(ctx, c.opt.Client, block, n.reads.Delegator(who, &stake)...); err != nil {
		return nil, err
	}
	return n.reads.LoadLocks(ctx, c.opt.Client, block, who, stake.NextLockID)
}

// Pool reads the records of the pool's members, highest stake first.
func (c *Chain) Pool(ctx context.Context) ([]protocol.Orchestrator, error) {
	n, block, err := c.newest(ctx)
	if err != nil {
		return nil, err
	}
	order, err := c.members(ctx, n, block)
	if err != nil {
		return nil, err
	}
	all := make([]protocol.Orchestrator, len(order))
	var reads []contracts.Read
	for i, who := range order {
		reads = append(reads, n.reads.Orchestrator(who, &all[i])...)
	}
	return all, contracts.ReadAll(ctx, c.opt.Client, block, reads...)
}

// EarningsPool reads what counted for an orchestrator in a round.
func (c *Chain) EarningsPool(ctx context.Context, who core.Address, round protocol.Round) (protocol.EarningsPool, error) {
	var out protocol.EarningsPool
	err := c.readAll(ctx, func(r contracts.Reads) []contracts.Read {
		return []contracts.Read{r.EarningsPool(who, round, &out)}
	})
	return out, err
}

// Parameters reads what governance set.
func (c *Chain) Parameters(ctx context.Context) (protocol.Parameters, error) {
	var out protocol.Parameters
	err := c.readAll(ctx, func(r contracts.Reads) []contracts.Read { return r.Parameters(&out) })
	return out, err
}

// Sender reads a gateway's funds. See Watch for those that are needed often.
func (c *Chain) Sender(ctx context.Context, who core.Address) (protocol.Sender, error) {
	var out protocol.Sender
	err := c.readAll(ctx, func(r contracts.Reads) []contracts.Read { return []contracts.Read{r.Sender(who, &out)} })
	return out, err
}

// Balances reads an account's means.
func (c *Chain) Balances(ctx context.Context, who core.Address) (protocol.Balances, error) {
	var out protocol.Balances
	n, block, err := c.newest(ctx)
	if err != nil {
		return out, err
	}
	if out.Ether, err = c.opt.Client.BalanceAt(ctx, common.Address(who), block); err != nil {
		return protocol.Balances{}, err
	}
	err = contracts.ReadAll(ctx, c.opt.Client, block, n.reads.TokenBalance(who, &out.Token), n.reads.Allowance(who, &out.Allowance))
	return out, err
}

// FeedQuote asks a price feed: what the first of the two currencies of its
// description costs in the second, and since when.
func (c *Chain) FeedQuote(ctx context.Context, feed core.Address) (description string, price *big.Rat, updated time.Time, err error) {
	var out contracts.Quote
	err = c.readAll(ctx, func(r contracts.Reads) []contracts.Read { return r.Quote(feed, &out) })
	if err != nil {
		return "", nil, time.Time{}, err
	}
	return out.Description, out.Price(), out.Updated, nil
}

// readAll reads at the newest block, from a quorum of the endpoints.
func (c *Chain) readAll(ctx context.Context, what func(contracts.Reads) []contracts.Read) error {
	return c.readFrom(ctx, c.opt.Client.Agreed(), what)
}

func (c *Chain) readFrom(ctx context.Context, from ethcall.Batcher, what func(contracts.Reads) []contracts.Read) error {
	n, block, err := c.newest(ctx)
	if err != nil {
		return err
	}
	return contracts.ReadAll(ctx, from, block, what(n.reads)...)
}

// Contracts are the addresses by their names, those of the cache before the
// Controller was asked.
func (c *Chain) Contracts() map[string]core.Address {
	n := c.net.Load()
	if n == nil {
		return map[string]core.Address{}
	}
	return maps.Clone(n.at.ByName())
}

// ChainID is the chain's number; 0 before it is known.
func (c *Chain) ChainID() uint64 {
	if id := c.chainID.Load(); id != 0 {
		return id
	}
	return c.opt.Client.ChainID()
}
