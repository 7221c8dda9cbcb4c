// Package bindings is the encoding of the protocol's contracts, generated from the
// interfaces in ../abi: one file per contract, packing calls, unpacking answers,
// events and errors.
//
// It speaks in the contracts' own words and numbers. Package contracts turns them
// into the domain's and is its only caller.
package bindings

//go:generate -command bind go tool abigen --v2 --pkg bindings
//go:generate bind --abi ../abi/BondingManager.json --type BondingManager --out bonding_manager.go
//go:generate bind --abi ../abi/BondingVotes.json --type BondingVotes --out bonding_votes.go
//go:generate bind --abi ../abi/Controller.json --type Controller --out controller.go
//go:generate bind --abi ../abi/LivepeerGovernor.json --type LivepeerGovernor --out livepeer_governor.go
//go:generate bind --abi ../abi/LivepeerToken.json --type LivepeerToken --out livepeer_token.go
//go:generate bind --abi ../abi/LivepeerTokenFaucet.json --type LivepeerTokenFaucet --out livepeer_token_faucet.go
//go:generate bind --abi ../abi/Minter.json --type Minter --out minter.go
//go:generate bind --abi ../abi/Poll.json --type Poll --out poll.go
//go:generate bind --abi ../abi/PollCreator.json --type PollCreator --out poll_creator.go
//go:generate bind --abi ../abi/PriceFeed.json --type PriceFeed --out price_feed.go
//go:generate bind --abi ../abi/RoundsManager.json --type RoundsManager --out rounds_manager.go
//go:generate bind --abi ../abi/ServiceRegistry.json --type ServiceRegistry --out service_registry.go
//go:generate bind --abi ../abi/TicketBroker.json --type TicketBroker --out ticket_broker.go
