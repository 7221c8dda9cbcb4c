package solidity

import "math/big"

// priceDecimals is the scale of the ETH/USD feed.
const priceDecimals = 8

// deployAll creates the contracts. The Controller comes first, because the others take it as a parameter;
// behind it come the two that it does not know, so that their addresses, which nodes are configured with,
// stay when contracts are added.
func (p *planner) deployAll(s Settings) {
	p.deploy("Controller", "Controller")
	controller := p.at("Controller")
	p.deploy("ServiceRegistry", "AIServiceRegistry")
	price := new(big.Int).Mul(count(s.EtherPrice), big.NewInt(1e6))
	p.deploy("PriceFeed", "PriceFeed", "ETH / USD", uint8(priceDecimals), price)
	p.deploy("LivepeerToken", "LivepeerToken")
	p.deploy("RoundsManager", "RoundsManager", controller, count(s.RoundLength), count(s.RoundLock), count(s.FirstRound))
	p.deploy("BondingManager", "BondingManager", controller)
	p.deploy("BondingVotes", "BondingVotes", controller)
	p.deploy("Minter", "Minter", controller, count(s.Inflation), count(s.InflationChange), count(s.TargetBondingRate))
	p.deploy("TicketBroker", "TicketBroker", controller, count(s.UnlockPeriod), count(s.TicketValidity))
	p.deploy("ServiceRegistry", "ServiceRegistry")
	p.deploy("Treasury", "Treasury", controller)
	threshold := new(big.Int).Mul(big.NewInt(100), big.NewInt(1e18))
	p.deploy("LivepeerGovernor", "LivepeerGovernor", controller,
		count(s.VotingDelay), count(s.VotingPeriod), threshold, big.NewInt(333_300), big.NewInt(500_000))
	p.deploy("PollCreator", "PollCreator", controller, count(s.PollPeriod))
	p.deploy("LivepeerTokenFaucet", "LivepeerTokenFaucet",
		p.at("LivepeerToken"), s.FaucetAmount.Big(), count(s.FaucetWaitHours))
}

// registered are the names that are found through the Controller.
func registered() []string {
	return []string{
		"LivepeerToken", "RoundsManager", "BondingManager", "BondingVotes", "Minter", "TicketBroker", "ServiceRegistry",
		"Treasury", "LivepeerGovernor", "PollCreator", "LivepeerTokenFaucet",
	}
}

// wire introduces the contracts to one another and sets what constructors do not.
func (p *planner) wire(s Settings) {
	for _, name := range registered() {
		p.register(name)
	}
	p.call("LivepeerToken", "LivepeerToken", "mint", p.deployer, s.Supply.Big())
	p.call("LivepeerToken", "LivepeerToken", "setMinter", p.at("Minter"), true)
	p.call("LivepeerToken", "LivepeerToken", "transfer", p.at("LivepeerTokenFaucet"), s.FaucetStock.Big())
	p.call("BondingManager", "BondingManager", "setUnbondingPeriod", uint64(s.UnbondingPeriod))
	p.call("BondingManager", "BondingManager", "setTranscoderPoolMaxSize", count(s.PoolSize))
	p.call("BondingManager", "BondingManager", "setTreasuryRewardCutRate", preciseOf(s.TreasuryCut))
	p.call("BondingManager", "BondingManager", "setTreasuryBalanceCeiling", s.TreasuryCeiling.Big())
}
