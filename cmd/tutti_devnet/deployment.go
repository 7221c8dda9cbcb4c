package main

import (
	"context"
	"fmt"
	"math/big"
	"sync"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/tuttinode/tutti/test/devnet/chain"
	"github.com/tuttinode/tutti/test/devnet/control"
	"github.com/tuttinode/tutti/test/devnet/solidity"
)

// Deployment is the contracts of one chain.
type Deployment struct {
	chain  *chain.Chain
	client *ethclient.Client
	plan   solidity.Plan
	abis   map[string]abi.ABI // read-only

	// mu keeps the nonces of one action from those of another.
	mu sync.Mutex
}

// Deploy puts the contracts on a chain on which the deployer has done nothing
// yet, and initializes the first round.
func Deploy(ctx context.Context, c *chain.Chain, settings solidity.Settings) (*Deployment, error) {
	deployer := control.Address(control.DeployerKey())
	plan, err := solidity.NewPlan(deployer, c.Nonce(deployer), settings)
	if err != nil {
		return nil, err
	}
	abis, err := interfaces()
	if err != nil {
		return nil, err
	}
	s := &Deployment{chain: c, plan: plan, abis: abis, client: ethclient.NewClient(c.Dial())}
	if err := s.deploy(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Deployment) deploy(ctx context.Context) error {
	b := s.batch()
	for _, step := range s.plan.Steps {
		b.send(control.DeployerKey(), step.What, step.To, nil, step.Data)
	}
	if err := b.run(ctx); err != nil {
		return fmt.Errorf("set the contracts up: %w", err)
	}
	return s.owner(ctx, "RoundsManager", "initializeRound")
}

// Close lets the chain go.
func (s *Deployment) Close() { s.client.Close() }

// Addresses returns the contracts by name.
func (s *Deployment) Addresses() map[string]common.Address { return s.plan.Addresses }

// Address returns where a contract is.
func (s *Deployment) Address(name string) common.Address { return s.plan.Addresses[name] }

// interfaces returns those of all contracts, by name. The AI registry is a second
// ServiceRegistry.
func interfaces() (map[string]abi.ABI, error) {
	names, err := solidity.Names()
	if err != nil {
		return nil, err
	}
	out := make(map[string]abi.ABI)
	for _, name := range names {
		artifact, err := solidity.ArtifactOf(name)
		if err != nil {
			return nil, err
		}
		if out[name], err = artifact.Interface(); err != nil {
			return nil, err
		}
	}
	out["AIServiceRegistry"] = out["ServiceRegistry"]
	return out, nil
}

// owner calls a contract as the account that owns everything. The caller holds
// mu, or is the only user of the deployment.
func (s *Deployment) owner(ctx context.Context, contract, method string, args ...any) error {
	b := s.batch()
	b.call(control.DeployerKey(), contract, method, args...)
	return b.run(ctx)
}

// read calls a view of a contract at the newest block.
func (s *Deployment) read(ctx context.Context, contract, method string, args ...any) ([]any, error) {
	parsed := s.abis[contract]
	data, err := parsed.Pack(method, args...)
	if err != nil {
		return nil, fmt.Errorf("%s.%s: %w", contract, method, err)
	}
	to := s.Address(contract)
	out, err := s.client.CallContract(ctx, ethereum.CallMsg{To: &to, Data: data}, nil)
	if err != nil {
		return nil, fmt.Errorf("%s.%s: %w", contract, method, err)
	}
	return parsed.Unpack(method, out)
}

// number reads a view that answers one number.
func (s *Deployment) number(ctx context.Context, contract, method string) (uint64, error) {
	out, err := s.read(ctx, contract, method)
	if err != nil {
		return 0, err
	}
	n, ok := out[0].(*big.Int)
	if !ok || !n.IsUint64() {
		return 0, fmt.Errorf("%s.%s answers %v", contract, method, out[0])
	}
	return n.Uint64(), nil
}

// truth reads a view that answers yes or no.
func (s *Deployment) truth(ctx context.Context, contract, method string) (bool, error) {
	out, err := s.read(ctx, contract, method)
	if err != nil {
		return false, err
	}
	yes, ok := out[0].(bool)
	if !ok {
		return false, fmt.Errorf("%s.%s answers %v", contract, method, out[0])
	}
	return yes, nil
}
