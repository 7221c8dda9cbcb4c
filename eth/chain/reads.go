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
)

// newest returns the contracts and the newest block, for a read.
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
	return n.reads.LoadRound(ctx, c.opt.Client.Quorum(), block)
}

// Orchestrator reads an orchestrator's record.
func (c *Chain) Orchestrator(ctx context.Context, addr core.Address) (protocol.Orchestrator, error) {
	var out protocol.Orchestrator
	err := c.readAll(ctx, func(r contracts.Reads) []contracts.Read { return r.Orchestrator(addr, &out) })
	return out, err
}

// Delegator reads an account's stake.
func (c *Chain) Delegator(ctx context.Context, addr core.Address) (protocol.Delegator, error) {
	var out protocol.Delegator
	err := c.readAll(ctx, func(r contracts.Reads) []contracts.Read { return r.Delegator(addr, &out) })
	return out, err
}

// UnbondingLocks reads an account's locks that hold stake.
func (c *Chain) UnbondingLocks(ctx context.Context, addr core.Address) ([]protocol.UnbondingLock, error) {
	n, block, err := c.newest(ctx)
	if err != nil {
		return nil, err
	}
	var stake protocol.Delegator
	if err := contracts.ReadAll(ctx, c.opt.Client, block, n.reads.Delegator(addr, &stake)...); err != nil {
		return nil, err
	}
	return n.reads.LoadLocks(ctx, c.opt.Client, block, addr, stake.NextLockID)
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
	for i, addr := range order {
		reads = append(reads, n.reads.Orchestrator(addr, &all[i])...)
	}
	return all, contracts.ReadAll(ctx, c.opt.Client, block, reads...)
}

// EarningsPool reads what counted for an orchestrator in a round.
func (c *Chain) EarningsPool(ctx context.Context, addr core.Address, round protocol.Round) (protocol.EarningsPool,
	error) {
	var out protocol.EarningsPool
	err := c.readAll(ctx, func(r contracts.Reads) []contracts.Read {
		return []contracts.Read{r.EarningsPool(addr, round, &out)}
	})
	return out, err
}

// Parameters reads what governance set.
func (c *Chain) Parameters(ctx context.Context) (protocol.Parameters, error) {
	var out protocol.Parameters
	err := c.readAll(ctx, func(r contracts.Reads) []contracts.Read { return r.Parameters(&out) })
	return out, err
}

// Sender reads a gateway's funds. Use Watch for those that are needed often.
func (c *Chain) Sender(ctx context.Context, addr core.Address) (protocol.Sender, error) {
	var out protocol.Sender
	err := c.readAll(ctx, func(r contracts.Reads) []contracts.Read { return []contracts.Read{r.Sender(addr, &out)} })
	return out, err
}

// Balances reads an account's means.
func (c *Chain) Balances(ctx context.Context, addr core.Address) (protocol.Balances, error) {
	var out protocol.Balances
	n, block, err := c.newest(ctx)
	if err != nil {
		return out, err
	}
	if out.Ether, err = c.opt.Client.BalanceAt(ctx, common.Address(addr), block); err != nil {
		return protocol.Balances{}, err
	}
	err = contracts.ReadAll(ctx, c.opt.Client, block, n.reads.TokenBalance(addr, &out.Token),
		n.reads.Allowance(addr, &out.Allowance))
	return out, err
}

// FeedQuote asks a price feed: the price of the first of the two currencies of its description in the second,
// and its time.
func (c *Chain) FeedQuote(ctx context.Context, feed core.Address) (description string, price *big.Rat,
	updated time.Time, err error) {
	var out contracts.Quote
	err = c.readAll(ctx, func(r contracts.Reads) []contracts.Read { return r.Quote(feed, &out) })
	if err != nil {
		return "", nil, time.Time{}, err
	}
	return out.Description, out.Price(), out.Updated, nil
}

// readAll reads at the newest block, from a quorum of the endpoints.
func (c *Chain) readAll(ctx context.Context, what func(contracts.Reads) []contracts.Read) error {
	return c.readFrom(ctx, c.opt.Client.Quorum(), what)
}

func (c *Chain) readFrom(ctx context.Context, from contracts.Batcher,
	what func(contracts.Reads) []contracts.Read) error {
	n, block, err := c.newest(ctx)
	if err != nil {
		return err
	}
	return contracts.ReadAll(ctx, from, block, what(n.reads)...)
}

// Contracts returns the addresses by their names, the cached ones before the Controller answered.
func (c *Chain) Contracts() map[string]core.Address {
	n := c.net.Load()
	if n == nil {
		return map[string]core.Address{}
	}
	return maps.Clone(n.at.ByName())
}

// ChainID returns the chain's number; 0 before it is known.
func (c *Chain) ChainID() uint64 {
	if id := c.chainID.Load(); id != 0 {
		return id
	}
	return c.opt.Client.ChainID()
}
