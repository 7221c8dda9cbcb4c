package solidity

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// Step is one transaction of the deployment.
type Step struct {
	// What says in words what it does.
	What string
	// To is nil where the transaction creates a contract.
	To   *common.Address
	Data []byte
}

// Plan is everything that sets the contracts up: the account that sends all steps
// in their order, beginning with the nonce the plan was made for, owns them.
type Plan struct {
	Steps []Step
	// Addresses by the name under which the contract is registered, and next to them
	// "Controller", "AIServiceRegistry" and "PriceFeed", which are not.
	Addresses map[string]common.Address
}

var errSettings = errors.New("round length, first round and pool size must be above 0")

// NewPlan makes the plan for a deployer and the nonce of its next transaction.
func NewPlan(deployer common.Address, nonce uint64, s Settings) (Plan, error) {
	if s.RoundLength == 0 || s.FirstRound == 0 || s.PoolSize == 0 {
		return Plan{}, errSettings
	}
	p := planner{deployer: deployer, nonce: nonce, plan: Plan{Addresses: make(map[string]common.Address)}}
	p.deployAll(s)
	p.wire(s)
	if p.err != nil {
		return Plan{}, p.err
	}
	return p.plan, nil
}

// planner collects steps until the first error.
type planner struct {
	deployer common.Address
	nonce    uint64
	plan     Plan
	err      error
}

func (p *planner) at(name string) common.Address { return p.plan.Addresses[name] }

// deploy creates a contract whose address is known by name from here on.
func (p *planner) deploy(contract, name string, args ...any) {
	data, err := p.data(contract, func(a Artifact) ([]byte, error) { return a.creation(args...) })
	p.plan.Addresses[name] = crypto.CreateAddress(p.deployer, p.nonce)
	p.add(Step{What: "deploy " + name, Data: data}, err)
}

// call has the contract that is known by name called.
func (p *planner) call(contract, name, method string, args ...any) {
	data, err := p.data(contract, func(a Artifact) ([]byte, error) { return a.call(method, args...) })
	to := p.at(name)
	p.add(Step{What: fmt.Sprintf("%s.%s", name, method), To: &to, Data: data}, err)
}

// register enters a contract at the Controller, as its own proxy and target.
func (p *planner) register(name string) {
	for _, id := range []string{name, name + "Target"} {
		p.call("Controller", "Controller", "setContractInfo", crypto.Keccak256Hash([]byte(id)), p.at(name), [20]byte{})
	}
}

func (p *planner) data(contract string, pack func(Artifact) ([]byte, error)) ([]byte, error) {
	a, err := ArtifactOf(contract)
	if err != nil {
		return nil, err
	}
	return pack(a)
}

func (p *planner) add(s Step, err error) {
	if p.err == nil {
		p.err = err
	}
	p.nonce++
	p.plan.Steps = append(p.plan.Steps, s)
}
