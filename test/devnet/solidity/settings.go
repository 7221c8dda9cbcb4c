package solidity

import (
	"math/big"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// Settings are the protocol's parameters on the test chain. Rates come on three
// scales, as the contracts have them.
type Settings struct {
	// RoundLength in L1 blocks; RoundLock is the share at a round's end in which
	// commissions stay as they are.
	RoundLength protocol.L1Block
	RoundLock   core.PerMillion
	// FirstRound begins at the L1 block of the deployment. It is not 0.
	FirstRound protocol.Round
	// PoolSize is how many orchestrators are active at once.
	PoolSize uint32
	// Periods in rounds.
	UnbondingPeriod, UnlockPeriod, TicketValidity uint32
	// On the scale of 1e9 per round.
	Inflation, InflationChange, TargetBondingRate uint32
	// TreasuryCut is the treasury's share of rewards; it ends when the treasury
	// holds TreasuryCeiling.
	TreasuryCut     core.PerMillion
	TreasuryCeiling core.LPT
	// Supply is minted to the deployer, which hands FaucetStock on to the faucet.
	Supply, FaucetStock core.LPT
	// FaucetAmount is what each request gets, and FaucetWaitHours the time between two.
	FaucetAmount    core.LPT
	FaucetWaitHours uint32
	// VotingDelay and VotingPeriod in rounds, PollPeriod in L1 blocks.
	VotingDelay, VotingPeriod uint32
	PollPeriod                protocol.L1Block
	// EtherPrice is what the price feed answers first, in US cents.
	EtherPrice uint32
}

// DefaultSettings returns those of Arbitrum One, but for rounds of 50 blocks.
func DefaultSettings() Settings {
	return Settings{
		RoundLength: 50, RoundLock: 100_000, FirstRound: 3500, PoolSize: 100,
		UnbondingPeriod: 7, UnlockPeriod: 2, TicketValidity: 2,
		Inflation: 504_350, InflationChange: 500, TargetBondingRate: 500_000_000,
		TreasuryCut: 100_000, TreasuryCeiling: core.LPTTokens(750_000),
		Supply: core.LPTTokens(10_000_000), FaucetStock: core.LPTTokens(5_000_000),
		FaucetAmount: core.LPTTokens(10_000), FaucetWaitHours: 1,
		VotingDelay: 1, VotingPeriod: 10, PollPeriod: 57_600,
		EtherPrice: 300_000,
	}
}

// preciseOf returns a share on the scale of 1e27 that treasury rates have.
func preciseOf(p core.PerMillion) *big.Int {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(21), nil)
	return scale.Mul(scale, big.NewInt(int64(p)))
}

func count[T ~uint32 | ~uint64](n T) *big.Int { return new(big.Int).SetUint64(uint64(n)) }
