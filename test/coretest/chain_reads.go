package coretest

import (
	"context"
	"maps"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// reading locks the state for a read, unless reads fail or ctx ended. The caller
// unlocks mu when there was no error.
func (c *Chain) reading(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fault.Wrap(fault.CodeOf(err), "read the chain", err)
	}
	c.mu.Lock()
	if err := c.failRead; err != nil {
		c.mu.Unlock()
		return err
	}
	return nil
}

// FailReads makes every read fail with err until Learn.
func (c *Chain) FailReads(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failRead = err
}

// Head returns the newest block.
func (c *Chain) Head(ctx context.Context) (protocol.Head, error) {
	if err := c.reading(ctx); err != nil {
		return protocol.Head{}, err
	}
	defer c.mu.Unlock()
	return c.head, nil
}

// Round returns the round of the newest block.
func (c *Chain) Round(ctx context.Context) (protocol.RoundState, error) {
	if err := c.reading(ctx); err != nil {
		return protocol.RoundState{}, err
	}
	defer c.mu.Unlock()
	return c.roundStateLocked(), nil
}

// Orchestrator returns an orchestrator's record.
func (c *Chain) Orchestrator(ctx context.Context, address core.Address) (protocol.Orchestrator, error) {
	if err := c.reading(ctx); err != nil {
		return protocol.Orchestrator{}, err
	}
	defer c.mu.Unlock()
	return c.orchestratorLocked(address), nil
}

// Pool returns the pool, highest stake first.
func (c *Chain) Pool(ctx context.Context) ([]protocol.Orchestrator, error) {
	if err := c.reading(ctx); err != nil {
		return nil, err
	}
	defer c.mu.Unlock()
	all := make([]protocol.Orchestrator, 0, len(c.pool))
	for _, address := range c.pool {
		all = append(all, c.orchestratorLocked(address))
	}
	return all, nil
}

// Delegator returns an account's stake.
func (c *Chain) Delegator(ctx context.Context, address core.Address) (protocol.Delegator, error) {
	if err := c.reading(ctx); err != nil {
		return protocol.Delegator{}, err
	}
	defer c.mu.Unlock()
	a := c.accountLocked(address)
	return protocol.Delegator{
		Address: address, Bonded: a.bonded, Fees: a.fees, PendingStake: a.bonded, PendingFees: a.fees,
		Delegate:        a.delegate,
		DelegatedAmount: c.orchestratorLocked(address).DelegatedStake, StartRound: a.start, LastClaimRound: a.claimed,
		NextLockID: a.nextLock, Status: c.status(a),
	}, nil
}

// UnbondingLocks returns an account's locks that hold stake.
func (c *Chain) UnbondingLocks(ctx context.Context, address core.Address) ([]protocol.UnbondingLock, error) {
	if err := c.reading(ctx); err != nil {
		return nil, err
	}
	defer c.mu.Unlock()
	return append([]protocol.UnbondingLock{}, c.accountLocked(address).locks...), nil
}

// EarningsPool returns what counted for an orchestrator in a round.
func (c *Chain) EarningsPool(ctx context.Context, address core.Address, round protocol.Round) (protocol.EarningsPool,
	error) {
	if err := c.reading(ctx); err != nil {
		return protocol.EarningsPool{}, err
	}
	defer c.mu.Unlock()
	if p, ok := c.earnings[earningsKey{address, round}]; ok {
		return p, nil
	}
	return earningsOf(&protocol.Orchestrator{}), nil
}

// Parameters returns the protocol's settings.
func (c *Chain) Parameters(ctx context.Context) (protocol.Parameters, error) {
	if err := c.reading(ctx); err != nil {
		return protocol.Parameters{}, err
	}
	defer c.mu.Unlock()
	p := c.params
	p.PoolSize = len(c.pool)
	return p, nil
}

// Contracts are made-up addresses by name.
func (c *Chain) Contracts() map[string]core.Address {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unknown {
		return map[string]core.Address{}
	}
	return maps.Clone(c.contracts)
}

// ChainID returns the chain's number, 0 while the chain is forgotten.
func (c *Chain) ChainID() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unknown {
		return 0
	}
	return c.id
}

// Balances returns an account's means.
func (c *Chain) Balances(ctx context.Context, address core.Address) (protocol.Balances, error) {
	if err := c.reading(ctx); err != nil {
		return protocol.Balances{}, err
	}
	defer c.mu.Unlock()
	a := c.accountLocked(address)
	return protocol.Balances{Ether: a.ether, Token: a.token, Allowance: a.allowance}, nil
}

// Sender returns a gateway's money at the ticket broker.
func (c *Chain) Sender(ctx context.Context, address core.Address) (protocol.Sender, error) {
	if err := c.reading(ctx); err != nil {
		return protocol.Sender{}, err
	}
	defer c.mu.Unlock()
	return c.accountLocked(address).sender, nil
}
