package contracts

import "github.com/tuttinode/tutti/eth/contracts/bindings"

// The encodings of the contracts; read-only.
var (
	controllerABI = bindings.NewController()
	bondingABI    = bindings.NewBondingManager()
	brokerABI     = bindings.NewTicketBroker()
	roundsABI     = bindings.NewRoundsManager()
	registryABI   = bindings.NewServiceRegistry()
	minterABI     = bindings.NewMinter()
	tokenABI      = bindings.NewLivepeerToken()
	faucetABI     = bindings.NewLivepeerTokenFaucet()
	governorABI   = bindings.NewLivepeerGovernor()
	votesABI      = bindings.NewBondingVotes()
	pollABI       = bindings.NewPoll()
	feedABI       = bindings.NewPriceFeed()
)
