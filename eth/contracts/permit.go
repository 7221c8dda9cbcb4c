package contracts

import (
	"slices"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/accounts/abi/bind/v2"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/eth/contracts/bindings"
)

// permitted are the functions that Calls makes calls of, per contract, as the
// first four bytes of the call data; read-only. A poll's address is known only
// when one votes in it, so voting is permitted everywhere.
var (
	permittedToken    = selectors(&bindings.LivepeerTokenMetaData, "approve", "transfer")
	selectorApprove   = permittedToken[0]
	permittedFaucet   = selectors(&bindings.LivepeerTokenFaucetMetaData, "request")
	permittedBonding  = selectors(&bindings.BondingManagerMetaData, bondingFunctions...)
	permittedRounds   = selectors(&bindings.RoundsManagerMetaData, "initializeRound")
	permittedRegistry = selectors(&bindings.ServiceRegistryMetaData, "setServiceURI")
	permittedBroker   = selectors(&bindings.TicketBrokerMetaData, brokerFunctions...)
	paying            = selectors(&bindings.TicketBrokerMetaData, "fundDeposit", "fundReserve", "fundDepositAndReserve")
	permittedGovernor = selectors(&bindings.LivepeerGovernorMetaData, "castVote", "castVoteWithReason")
	permittedPoll     = selectors(&bindings.PollMetaData, "vote")

	bondingFunctions = []string{
		"bond", "bondWithHint", "unbond", "unbondWithHint", "rebond", "rebondWithHint", "rebondFromUnbonded",
		"rebondFromUnbondedWithHint",
		"withdrawStake", "withdrawFees", "claimEarnings", "transcoder", "transcoderWithHint", "reward", "rewardWithHint",
		"rewardForTranscoder", "rewardForTranscoderWithHint", "setRewardCaller",
	}
	brokerFunctions = []string{
		"fundDeposit", "fundReserve", "fundDepositAndReserve", "unlock", "cancelUnlock", "withdraw",
		"redeemWinningTicket", "batchRedeemWinningTickets",
	}
)

type selector [4]byte

// selectors returns those of a contract's functions. A name that it has not is a
// mistake in this file.
func selectors(contract *bind.MetaData, names ...string) []selector {
	parsed, err := contract.ParseABI()
	if err != nil {
		panic("contracts: " + err.Error())
	}
	var out []selector
	for _, name := range names {
		out = append(out, of(parsed, name))
	}
	return out
}

func of(parsed *abi.ABI, name string) selector {
	m, ok := parsed.Methods[name]
	if !ok {
		panic("contracts: there is no function " + name)
	}
	return selector(m.ID)
}

// Permits reports whether a transaction is one that Calls could have made: a
// function of the list, at the address of its contract. The key asks before it
// signs.
func (c Calls) Permits(to core.Address, data []byte, value core.Wei) bool {
	if len(data) < 4 || to.IsZero() {
		return false
	}
	called := selector(data[:4])
	if !value.IsZero() && !(to == c.a.TicketBroker && slices.Contains(paying, called)) {
		return false
	}
	for _, at := range []struct {
		address core.Address
		may     []selector
	}{
		{c.a.LivepeerToken, permittedToken}, {c.a.LivepeerTokenFaucet, permittedFaucet},
		{c.a.BondingManager, permittedBonding}, {c.a.RoundsManager, permittedRounds},
		{c.a.ServiceRegistry, permittedRegistry}, {c.a.AIServiceRegistry, permittedRegistry},
		{c.a.Registry, permittedRegistry},
		{c.a.TicketBroker, permittedBroker}, {c.a.LivepeerGovernor, permittedGovernor},
	} {
		if at.address == to && slices.Contains(at.may, called) {
			return called != selectorApprove || c.approvesOurs(data)
		}
	}
	// A poll can be anywhere, so nothing but a vote may go there.
	return slices.Contains(permittedPoll, called) && len(data) == 4+32
}

// approvesOurs reports whether an approval is for the bonding contract, the only
// one that ever takes tokens of the account.
func (c Calls) approvesOurs(data []byte) bool {
	const spender = 4 + 12
	return len(data) >= spender+20 && core.Address(data[spender:spender+20]) == c.a.BondingManager
}
