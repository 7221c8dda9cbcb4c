package contracts_test

import (
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

func TestPermits(t *testing.T) {
	t.Parallel()
	at := contracts.Addresses{
		Controller: core.Address{1}, LivepeerToken: core.Address{2}, BondingManager: core.Address{3},
		TicketBroker:  core.Address{4},
		RoundsManager: core.Address{5}, Minter: core.Address{6}, ServiceRegistry: core.Address{7},
		AIServiceRegistry: core.Address{8},
		Registry:          core.Address{7}, LivepeerTokenFaucet: core.Address{9}, LivepeerGovernor: core.Address{10},
	}
	calls := contracts.NewCalls(at)
	for _, a := range []protocol.Action{
		protocol.Approve{Amount: core.NewLPT(1)}, protocol.Bond{Amount: core.NewLPT(1), To: other},
		protocol.Unbond{Amount: core.NewLPT(1)},
		protocol.Rebond{Lock: 2}, protocol.RebondFromUnbonded{To: other, Lock: 2}, protocol.WithdrawStake{Lock: 2},
		protocol.WithdrawFees{Recipient: other, Amount: core.NewWei(1)}, protocol.ClaimEarnings{},
		protocol.TransferTokens{To: other, Amount: core.NewLPT(1)}, protocol.RequestTokens{},
		protocol.SetCommission{RewardCut: 1, FeeShare: 2},
		protocol.SetServiceURI{URI: "u"}, protocol.Reward{}, protocol.RewardFor{Orchestrator: other},
		protocol.SetRewardCaller{Caller: other},
		protocol.InitializeRound{}, protocol.FundDeposit{Amount: core.NewWei(1)},
		protocol.FundDepositAndReserve{Deposit: core.NewWei(1), Reserve: core.NewWei(2)},
		protocol.Unlock{}, protocol.CancelUnlock{}, protocol.WithdrawFunds{}, protocol.VoteInPoll{Poll: somePoll, Choice: 1},
		protocol.VoteOnProposal{Proposal: number(1), Support: 1, Reason: "r"},
	} {
		c, err := calls.For(a, contracts.BondHints{})
		if err != nil {
			t.Fatal(err)
		}
		value, _ := core.WeiOf(c.Value())
		if !calls.Permits(core.Address(c.To()), c.Data(), value) {
			t.Errorf("%s is not permitted", a.Verb())
		}
		if a.Verb() != (protocol.VoteInPoll{}).Verb() && calls.Permits(core.Address{99}, c.Data(), value) {
			t.Errorf("%s is permitted at any address", a.Verb())
		}
	}
	for name, bad := range map[string]protocol.Action{
		"vote": protocol.VoteInPoll{Poll: somePoll}, "bond": protocol.Bond{Amount: core.NewLPT(1), To: other},
		"unlock": protocol.Unlock{},
	} {
		c, err := calls.For(bad, contracts.BondHints{})
		if err != nil || calls.Permits(core.Address(c.To()), c.Data(), core.NewWei(1)) {
			t.Errorf("%s may take ETH along: %v", name, err)
		}
	}
	vote, _ := calls.For(protocol.VoteInPoll{Poll: somePoll}, contracts.BondHints{})
	if calls.Permits(core.Address{99}, append(vote.Data(), 0), core.Wei{}) {
		t.Error("more than a vote is permitted anywhere")
	}
	approve, _ := calls.For(protocol.Approve{Amount: core.LPTTokens(1)}, contracts.BondHints{})
	data := approve.Data()
	data[4+12] ^= 1
	for name, bad := range map[string][]byte{
		"nothing": nil, "three bytes": data[:3], "approval of another spender": data,
		"approval cut short": approve.Data()[:20],
		"transferFrom":       {0x23, 0xb8, 0x72, 0xdd}, "permit": {0xd5, 0x05, 0xac, 0xcf},
	} {
		if calls.Permits(at.LivepeerToken, bad, core.Wei{}) {
			t.Errorf("%s is permitted", name)
		}
	}
}
