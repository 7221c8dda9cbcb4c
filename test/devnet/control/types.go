package control

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// Info is what a client needs to know of a chain.
type Info struct {
	ChainID uint64 `json:"chainId"`
	// Endpoints are the addresses of the JSON-RPC endpoints, for HTTP; with ws://
	// instead of http:// they are websockets.
	Endpoints []string `json:"endpoints"`
	// Control is the address of this API.
	Control string `json:"control"`
	// Controller and AIServiceRegistry are for a node's configuration, and Contracts is every contract by its
	// name. All are empty without contracts.
	Controller        common.Address            `json:"controller"`
	AIServiceRegistry common.Address            `json:"aiServiceRegistry"`
	PriceFeed         common.Address            `json:"priceFeed"`
	Contracts         map[string]common.Address `json:"contracts"`
	// Accounts have ether and stake tokens; AccountKey makes their keys.
	Accounts []common.Address `json:"accounts"`
	// Deployer owns the contracts; DeployerKey makes its key.
	Deployer common.Address `json:"deployer"`
}

// Round is the protocol's clock at the newest block.
type Round struct {
	L2Block     protocol.L2Block `json:"l2Block"`
	L1Block     protocol.L1Block `json:"l1Block"`
	Round       protocol.Round   `json:"round"`
	Initialized bool             `json:"initialised"`
	// LastInitialized is the newest initialized round.
	LastInitialized protocol.Round   `json:"lastInitialised"`
	StartL1         protocol.L1Block `json:"startL1"`
	Length          uint64           `json:"length"`
	Locked          bool             `json:"locked"`
}

// Reorg says how the last blocks are replaced.
type Reorg struct {
	// Depth is how many blocks, from the newest.
	Depth uint64 `json:"depth"`
	// Keep puts each transaction into the same block of the fork.
	Keep bool `json:"keep,omitempty"`
	// Forget loses transactions that are not kept; otherwise they go back to the
	// pool.
	Forget bool `json:"forget,omitempty"`
}

// Population are orchestrators to add, named by consecutive numbers.
type Population struct {
	// First is the number of the first orchestrator; OrchestratorKey makes keys.
	First uint64 `json:"first,omitempty"`
	// Orchestrators is how many there are.
	Orchestrators uint64 `json:"orchestrators"`
	// Base and Step make the stake of the i-th: Base + i×Step.
	Base core.LPT `json:"base"`
	Step core.LPT `json:"step"`
	// Delegators is how many each has, with Delegation bonded by each;
	// DelegatorKey makes their keys.
	Delegators uint64   `json:"delegators,omitempty"`
	Delegation core.LPT `json:"delegation"`
	// RewardCut and FeeShare are in millionths.
	RewardCut core.PerMillion `json:"rewardCut,omitempty"`
	FeeShare  core.PerMillion `json:"feeShare,omitempty"`
	// ServiceURI is what each registers, {n} being its number; empty registers
	// nothing.
	ServiceURI string `json:"serviceUri,omitempty"`
}
