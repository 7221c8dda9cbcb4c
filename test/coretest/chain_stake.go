package coretest

import (
	"math/big"
	"slices"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// orchestrator is a record as of the head, with only its address for an account
// that never was one. The caller holds mu.
func (c *Chain) orchestratorLocked(address core.Address) protocol.Orchestrator {
	m, ok := c.members[address]
	if !ok {
		return protocol.Orchestrator{Address: address}
	}
	o := *m
	o.Active = o.ActivationRound <= c.round.Number && c.round.Number < o.DeactivationRound
	o.Registered = c.registered(address)
	return o
}

// member is an orchestrator's stored record, made if need be. The caller holds mu.
func (c *Chain) memberLocked(address core.Address) *protocol.Orchestrator {
	m := c.members[address]
	if m == nil {
		m = &protocol.Orchestrator{Address: address}
		c.members[address] = m
	}
	return m
}

func (c *Chain) registered(address core.Address) bool {
	a := c.accountLocked(address)
	return a.delegate == address && !a.bonded.IsZero()
}

func (c *Chain) status(a *chainAccount) protocol.DelegatorStatus {
	switch {
	case a.bonded.IsZero():
		return protocol.Unbonded
	case a.start > c.round.Number:
		return protocol.Pending
	}
	return protocol.Bonded
}

// moveStake changes what is delegated to an orchestrator, and its place in the
// pool with it: an outsider that gained stake tries to join. The caller holds mu.
func (c *Chain) moveStakeLocked(to core.Address, gain, loss core.LPT) {
	m := c.memberLocked(to)
	m.DelegatedStake = m.DelegatedStake.Add(gain).Sub(loss)
	m.LastActiveStakeUpdateRound = c.round.Number + 1
	in := slices.Contains(c.pool, to)
	switch {
	case !c.registered(to) && in:
		c.deactivateLocked(to)
	case in:
		c.pool = slices.DeleteFunc(c.pool, func(a core.Address) bool { return a == to })
		c.insert(to)
	case c.registered(to) && !gain.IsZero():
		c.joinLocked(to)
	}
	c.tellAbout(to)
}

// join puts a new orchestrator into the pool if its stake suffices. The caller holds mu.
func (c *Chain) joinLocked(address core.Address) {
	m := c.memberLocked(address)
	if len(c.pool) >= c.params.PoolMaxSize {
		last := c.pool[len(c.pool)-1]
		if m.DelegatedStake.Cmp(c.memberLocked(last).DelegatedStake) <= 0 {
			return
		}
		c.deactivateLocked(last)
	}
	m.ActivationRound, m.DeactivationRound = c.round.Number+1, protocol.Never
	c.insert(address)
	c.emitLocked(protocol.PoolSeen{Size: len(c.pool)})
}

func (c *Chain) deactivateLocked(address core.Address) {
	c.pool = slices.DeleteFunc(c.pool, func(a core.Address) bool { return a == address })
	c.memberLocked(address).DeactivationRound = c.round.Number + 1
	c.emitLocked(protocol.PoolSeen{Size: len(c.pool)})
	c.tellAbout(address)
}

// insert places an entry before those of equal stake, as the contract does
// without a hint.
func (c *Chain) insert(address core.Address) {
	stake := c.memberLocked(address).DelegatedStake
	i := 0
	for i < len(c.pool) && c.memberLocked(c.pool[i]).DelegatedStake.Cmp(stake) > 0 {
		i++
	}
	c.pool = slices.Insert(c.pool, i, address)
}

func (c *Chain) totalStake() core.LPT {
	var sum core.LPT
	for _, address := range c.pool {
		sum = sum.Add(c.memberLocked(address).DelegatedStake)
	}
	return sum
}

func (c *Chain) tellAbout(address core.Address) {
	if address == c.self {
		c.tellSelf()
	}
}

func (c *Chain) tellSelf() {
	if _, ok := c.members[c.self]; ok {
		c.emitLocked(protocol.SelfSeen{Orchestrator: c.orchestratorLocked(c.self)})
	}
}

func earningsOf(m *protocol.Orchestrator) protocol.EarningsPool {
	one := new(big.Int).Exp(big.NewInt(10), big.NewInt(27), nil)
	return protocol.EarningsPool{
		TotalStake: m.DelegatedStake, RewardCut: m.RewardCut, FeeShare: m.FeeShare, RewardFactor: one,
		FeeFactor: new(big.Int),
	}
}
