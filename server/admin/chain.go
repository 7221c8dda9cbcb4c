package admin

import (
	"context"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/protocol"
)

// Chain are the API's sources on the chain. Gas and all that follows may be nil.
type Chain struct {
	Rounds   protocol.Rounds
	Stakes   protocol.Stakes
	Settings protocol.Settings
	Funds    protocol.Funds
	Actor    protocol.Actor
	Views    protocol.Views
	// Orchestrator is the orchestrator that the node works for; zero is the account.
	Orchestrator core.Address

	Gas    GasBounds
	Signer Signer
	// Endpoints returns the state of the endpoints. Their names hold no secret.
	Endpoints func() []adminapi.Endpoint
	Contracts Contracts
	// Reward is the state of the reward caller; nil without one.
	Reward func() protocol.RewardStatus
}

// GasBounds are the operator's bounds on the price of gas.
type GasBounds interface {
	GasPrices(ctx context.Context) (protocol.GasPrices, error)
	// SetGasBounds changes the bounds that are not nil; 0 removes a bound. The error means that
	// the bounds contradict each other.
	SetGasBounds(lowest, highest *core.Wei) error
}

// Signer signs in the name of the account.
type Signer interface {
	// SignMessage signs a personal message: 65 bytes, the last 27 or 28.
	SignMessage(ctx context.Context, message []byte) ([]byte, error)
	// SignTypedData signs an EIP-712 document. The error of a document that cannot be
	// read is a fault of class BadRequest.
	SignTypedData(ctx context.Context, document []byte) ([]byte, error)
}

// orchestrator returns the orchestrator that the node works for.
func (c *Chain) orchestrator() core.Address {
	if c.Orchestrator.IsZero() {
		return c.Actor.Account()
	}
	return c.Orchestrator
}

// own reports whether the account is the orchestrator itself.
func (c *Chain) own() bool { return c.orchestrator() == c.Actor.Account() }

func (c *Chain) planner() protocol.ActivationPlanner {
	return protocol.ActivationPlanner{Rounds: c.Rounds, Stakes: c.Stakes, Funds: c.Funds, Settings: c.Settings,
		Actor: c.actor()}
}

// rewardAction calls reward for the orchestrator that the node works for.
func (c *Chain) rewardAction() protocol.Action {
	if c.own() {
		return protocol.Reward{}
	}
	return protocol.RewardFor{Orchestrator: c.orchestrator()}
}
