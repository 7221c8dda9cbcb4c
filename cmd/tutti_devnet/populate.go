package main

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// allowance of ether for every account added.
const etherEach = "10"

var errPopulation = errors.New("a population needs from 1 to 10000 orchestrators with at most 1000 delegators each")

// Populate adds orchestrators with their delegators. They are active from the next
// round on, as far as the pool has free slots.
func (s *Deployment) Populate(ctx context.Context, p control.Population) error {
	if p.Orchestrators == 0 || p.Orchestrators > 10_000 || p.Delegators > 1000 {
		return errPopulation
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(ctx); err != nil {
		return err
	}
	ether, err := core.ParseEther(etherEach)
	if err != nil {
		return err
	}
	b := s.batch()
	for i := range p.Orchestrators {
		if err := b.orchestrator(p, i, ether.Big()); err != nil {
			return err
		}
	}
	return b.run(ctx)
}

// orchestrator adds the i-th orchestrator of a population.
func (b *batch) orchestrator(p control.Population, i uint64, ether *big.Int) error {
	n := p.First + i
	key := control.OrchestratorKey(n)
	stake := new(big.Int).Add(p.Base.Big(), new(big.Int).Mul(p.Step.Big(), count(i)))
	if stake.Sign() == 0 {
		return fmt.Errorf("orchestrator %d would have no stake", n)
	}
	self := control.Address(key)
	b.bond(key, self, stake, ether)
	b.call(key, "BondingManager", "transcoder", count(uint64(p.RewardCut)), count(uint64(p.FeeShare)))
	if p.ServiceURI != "" {
		b.call(key, "ServiceRegistry", "setServiceURI", strings.ReplaceAll(p.ServiceURI, "{n}", fmt.Sprint(n)))
	}
	if p.Delegation.IsZero() {
		return nil
	}
	for d := range p.Delegators {
		b.bond(control.DelegatorKey(n, d), self, p.Delegation.Big(), ether)
	}
	return nil
}

// bond gives an account what it needs and bonds its tokens to an orchestrator.
func (b *batch) bond(key *ecdsa.PrivateKey, to common.Address, stake, ether *big.Int) {
	account, manager := control.Address(key), b.deployment.Address("BondingManager")
	b.send(control.DeployerKey(), "pay ether", &account, ether, nil)
	b.call(control.DeployerKey(), "LivepeerToken", "mint", account, stake)
	b.call(key, "LivepeerToken", "approve", manager, stake)
	b.call(key, "BondingManager", "bond", stake, to)
}
