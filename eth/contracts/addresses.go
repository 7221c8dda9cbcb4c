package contracts

import (
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
)

// Addresses is where the contracts are. They stay for the life of the process: an
// upgrade of the protocol changes what is behind them.
type Addresses struct {
	Controller     core.Address
	LivepeerToken  core.Address
	BondingManager core.Address
	TicketBroker   core.Address
	RoundsManager  core.Address
	Minter         core.Address
	// ServiceRegistry is the one that the Controller knows, AIServiceRegistry that
	// of the AI network; Registry is the one of them that this node uses.
	ServiceRegistry   core.Address
	AIServiceRegistry core.Address
	Registry          core.Address

	// The rest may be zero: a faucet exists on test networks only, and a network
	// can work without votes.
	LivepeerTokenFaucet core.Address
	LivepeerGovernor    core.Address
	BondingVotes        core.Address
	PollCreator         core.Address
}

// entry is one name in the Controller.
type entry struct {
	name string
	addr *core.Address
	// optional: the node works without it.
	optional bool
}

// entries returns the names that are looked up at the Controller.
func (a *Addresses) entries(ai bool) []entry {
	return []entry{
		{name: "LivepeerToken", addr: &a.LivepeerToken},
		{name: "ServiceRegistry", addr: &a.ServiceRegistry, optional: ai},
		{name: "BondingManager", addr: &a.BondingManager},
		{name: "TicketBroker", addr: &a.TicketBroker},
		{name: "RoundsManager", addr: &a.RoundsManager},
		{name: "Minter", addr: &a.Minter},
		{name: "LivepeerTokenFaucet", addr: &a.LivepeerTokenFaucet, optional: true},
		{name: "LivepeerGovernor", addr: &a.LivepeerGovernor, optional: true},
		{name: "BondingVotes", addr: &a.BondingVotes, optional: true},
		{name: "PollCreator", addr: &a.PollCreator, optional: true},
	}
}

// ByName returns the addresses that are set, by the contracts' names.
func (a Addresses) ByName() map[string]core.Address {
	all := map[string]core.Address{}
	for _, e := range a.entries(false) {
		all[e.name] = *e.addr
	}
	all["Controller"] = a.Controller
	all["AIServiceRegistry"] = a.AIServiceRegistry
	for name, at := range all {
		if at.IsZero() {
			delete(all, name)
		}
	}
	return all
}

// FromController returns the addresses that the Controller gives, by the contracts' names; the
// optional ones that it does not know are left out.
func (a Addresses) FromController() map[string]core.Address {
	all := a.ByName()
	delete(all, "Controller")
	delete(all, "AIServiceRegistry")
	return all
}

// Changes returns the names of the contracts for which the Controller answers differently
// in two sets of addresses, in order.
func (a Addresses) Changes(b Addresses) []string {
	var out []string
	before, after := a.FromController(), b.FromController()
	for _, e := range a.entries(false) {
		if before[e.name] != after[e.name] {
			out = append(out, e.name)
		}
	}
	return out
}

// With are these addresses, with the registry chosen as in another set.
func (a Addresses) With(chosen Addresses) Addresses {
	a.AIServiceRegistry = chosen.AIServiceRegistry
	a.Registry = a.ServiceRegistry
	if chosen.Registry == chosen.AIServiceRegistry && !chosen.Registry.IsZero() {
		a.Registry = a.AIServiceRegistry
	}
	return a
}

// nameID returns how the Controller knows a contract.
func nameID(name string) [32]byte { return crypto.Keccak256Hash([]byte(name)) }
