// Package bindings is the encoding of the protocol's contracts, generated from the
// interfaces in ../abi: one file per contract, packing calls, unpacking answers,
// events and errors.
//
// It speaks in the contracts' own words and numbers. Package contracts turns them
// into the domain's and is its only caller.
package bindings

//go:generate go tool abigen --v2 --abi ../abi/BondingManager.json --pkg bindings --type BondingManager --out bonding_manager.go
//go:generate go tool abigen --v2 --abi ../abi/BondingVotes.json --pkg bindings --type BondingVotes --out bonding_votes.go
//go:generate go tool abigen --v2 --abi ../abi/Controller.json --pkg bindings --type Controller --out controller.go
//go:generate go tool abigen --v2 --abi ../abi/LivepeerGovernor.json --pkg bindings --type LivepeerGovernor --out livepeer_governor.go
//go:generate go tool abigen --v2 --abi ../abi/LivepeerToken.json --pkg bindings --type LivepeerToken --out livepeer_token.go
//go:generate go tool abigen --v2 --abi ../abi/LivepeerTokenFaucet.json --pkg bindings --type LivepeerTokenFaucet --out livepeer_token_faucet.go
//go:generate go tool abigen --v2 --abi ../abi/Minter.json --pkg bindings --type Minter --out minter.go
//go:generate go tool abigen --v2 --abi ../abi/Poll.json --pkg bindings --type Poll --out poll.go
//go:generate go tool abigen --v2 --abi ../abi/PollCreator.json --pkg bindings --type PollCreator --out poll_creator.go
//go:generate go tool abigen --v2 --abi ../abi/PriceFeed.json --pkg bindings --type PriceFeed --out price_feed.go
//go:generate go tool abigen --v2 --abi ../abi/RoundsManager.json --pkg bindings --type RoundsManager --out rounds_manager.go
//go:generate go tool abigen --v2 --abi ../abi/ServiceRegistry.json --pkg bindings --type ServiceRegistry --out service_registry.go
//go:generate go tool abigen --v2 --abi ../abi/TicketBroker.json --pkg bindings --type TicketBroker --out ticket_broker.go
