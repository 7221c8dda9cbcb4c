package contracts_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

var (
	calls = contracts.NewCalls(places)
	hint  = contracts.Hints{Prev: core.Address{0x11}, Next: core.Address{0x22}}
	hints = contracts.BondHints{Old: contracts.Hints{Prev: core.Address{0x33}}, New: hint}
)

// must takes a call that cannot be refused here.
func must(c contracts.Call, err error) contracts.Call {
	if err != nil {
		panic(err)
	}
	return c
}

// a shortens the tables.
func a(account core.Address) common.Address { return common.Address(account) }

func TestCalls(t *testing.T) {
	t.Parallel()
	zero := common.Address{}
	proposal := bigText("60975438572349857234985723498572349857")
	tests := []struct {
		call     contracts.Call
		contract string
		at       core.Address
		function string
		args     []any
		value    int64
		about    string
	}{
		{calls.Approve(core.LPTTokens(1000)), "LivepeerToken", places.LivepeerToken, "approve",
			[]any{a(places.BondingManager), tokens(1000)}, 0, "let the bonding contract take 1000 LPT"},
		{calls.Bond(core.LPTTokens(1000), other, contracts.BondHints{}), "BondingManager", places.BondingManager, "bond",
			[]any{tokens(1000), a(other)}, 0, "bond 1000 LPT to " + other.String()},
		{calls.Bond(core.LPT{}, other, hints), "BondingManager", places.BondingManager, "bondWithHint",
			[]any{number(0), a(other), a(core.Address{0x33}), zero, a(hint.Prev), a(hint.Next)}, 0, "move all stake to " +
				other.String()},
		{calls.Unbond(core.NewLPT(5), contracts.Hints{}), "BondingManager", places.BondingManager, "unbond",
			[]any{number(5)}, 0, "unbond 0.000000000000000005 LPT"},
		{calls.Unbond(core.NewLPT(5), hint), "BondingManager", places.BondingManager, "unbondWithHint",
			[]any{number(5), a(hint.Prev), a(hint.Next)}, 0, "unbond 0.000000000000000005 LPT"},
		{calls.Rebond(3, contracts.Hints{}), "BondingManager", places.BondingManager, "rebond", []any{number(3)}, 0,
			"rebond unbonding lock 3"},
		{calls.Rebond(3, hint), "BondingManager", places.BondingManager, "rebondWithHint",
			[]any{number(3), a(hint.Prev), a(hint.Next)}, 0, "rebond unbonding lock 3"},
		{calls.RebondFromUnbonded(other, 3, contracts.Hints{}), "BondingManager", places.BondingManager,
			"rebondFromUnbonded", []any{a(other), number(3)}, 0, "bond unbonding lock 3 to " + other.String()},
		{calls.RebondFromUnbonded(other, 3, hint), "BondingManager", places.BondingManager, "rebondFromUnbondedWithHint",
			[]any{a(other), number(3), a(hint.Prev), a(hint.Next)}, 0, "bond unbonding lock 3 to " + other.String()},
		{calls.WithdrawStake(3), "BondingManager", places.BondingManager, "withdrawStake", []any{number(3)}, 0,
			"withdraw the stake of unbonding lock 3"},
		{calls.WithdrawFees(other, core.NewWei(9)), "BondingManager", places.BondingManager, "withdrawFees",
			[]any{a(other), number(9)}, 0, "withdraw 0.000000000000000009 ETH of fees to " + other.String()},
		{calls.ClaimEarnings(), "BondingManager", places.BondingManager, "claimEarnings", []any{number(0)}, 0,
			"claim earnings up to the present round"},
		{calls.Transfer(other, core.LPTTokens(2)), "LivepeerToken", places.LivepeerToken, "transfer",
			[]any{a(other), tokens(2)}, 0, "send 2 LPT to " + other.String()},
		{must(calls.RequestTokens()), "LivepeerTokenFaucet", places.LivepeerTokenFaucet, "request", nil, 0,
			"ask the faucet for test tokens"},
		{calls.SetCommission(100_000, 50_000, contracts.Hints{}), "BondingManager", places.BondingManager, "transcoder",
			[]any{number(100_000), number(50_000)}, 0, "set the reward cut to 10% and the fee cut to 95%"},
		{calls.SetCommission(100_000, 50_000, hint), "BondingManager", places.BondingManager, "transcoderWithHint",
			[]any{number(100_000), number(50_000), a(hint.Prev), a(hint.Next)}, 0,
			"set the reward cut to 10% and the fee cut to 95%"},
		{calls.Reward(contracts.Hints{}), "BondingManager", places.BondingManager, "reward", nil, 0, "call reward"},
		{calls.Reward(hint), "BondingManager", places.BondingManager, "rewardWithHint", []any{a(hint.Prev), a(hint.Next)},
			0, "call reward"},
		{calls.RewardForTranscoder(other, contracts.Hints{}), "BondingManager", places.BondingManager,
			"rewardForTranscoder", []any{a(other)}, 0, "call reward for " + other.String()},
		{calls.RewardForTranscoder(other, hint), "BondingManager", places.BondingManager, "rewardForTranscoderWithHint",
			[]any{a(other), a(hint.Prev), a(hint.Next)}, 0, "call reward for " + other.String()},
		{calls.SetRewardCaller(other), "BondingManager", places.BondingManager, "setRewardCaller", []any{a(other)}, 0,
			"let " + other.String() + " call reward"},
		{calls.SetRewardCaller(core.Address{}), "BondingManager", places.BondingManager, "setRewardCaller", []any{zero}, 0,
			"let no other account call reward"},
		{calls.InitializeRound(), "RoundsManager", places.RoundsManager, "initializeRound", nil, 0, "initialize the round"},
		{calls.SetServiceURI("https://h:8935"), "ServiceRegistry", places.Registry, "setServiceURI",
			[]any{"https://h:8935"}, 0, `set the service URI to "https://h:8935"`},
		{calls.FundDeposit(core.NewWei(7)), "TicketBroker", places.TicketBroker, "fundDeposit", nil, 7,
			"add 0.000000000000000007 ETH to the deposit"},
		{calls.FundReserve(core.NewWei(7)), "TicketBroker", places.TicketBroker, "fundReserve", nil, 7,
			"add 0.000000000000000007 ETH to the reserve"},
		{calls.FundDepositAndReserve(core.NewWei(7), core.NewWei(8)), "TicketBroker", places.TicketBroker,
			"fundDepositAndReserve", []any{number(7), number(8)}, 15,
			"add 0.000000000000000007 ETH to the deposit and 0.000000000000000008 ETH to the reserve"},
		{calls.Unlock(), "TicketBroker", places.TicketBroker, "unlock", nil, 0, "unlock deposit and reserve"},
		{calls.CancelUnlock(), "TicketBroker", places.TicketBroker, "cancelUnlock", nil, 0,
			"keep deposit and reserve locked"},
		{calls.WithdrawFunds(), "TicketBroker", places.TicketBroker, "withdraw", nil, 0, "withdraw deposit and reserve"},
		{must(calls.Vote(somePoll, 1)), "Poll", somePoll, "vote", []any{number(1)}, 0, "vote no in the poll " +
			somePoll.String()},
		{must(calls.CastVote(proposal, 2, "")), "LivepeerGovernor", places.LivepeerGovernor, "castVote",
			[]any{proposal, uint8(2)}, 0, "vote abstain on proposal " + proposal.String()},
		{must(calls.CastVote(proposal, 1, "good")), "LivepeerGovernor", places.LivepeerGovernor, "castVoteWithReason",
			[]any{proposal, uint8(1), "good"}, 0, "vote for proposal " + proposal.String()},
	}
	for _, tt := range tests {
		c := tt.call
		method, args := understood(t, tt.contract, c.Data())
		want, err := method.Inputs.Pack(tt.args...)
		if err != nil {
			t.Fatalf("%s: %v", tt.function, err)
		}
		if method.Name != tt.function || !bytes.Equal(c.Data()[4:], want) {
			t.Errorf("%s: the contract understands %s%v", tt.function, method.Name, args)
		}
		if c.To() != a(tt.at) || c.Value().Cmp(number(tt.value)) != 0 || c.Describe() != tt.about || !c.Valid() {
			t.Errorf("%s: to %s with %s: %q", tt.function, c.To(), c.Value(), c.Describe())
		}
		if !calls.Permits(core.Address(c.To()), c.Data(), core.NewWei(uint64(tt.value))) {
			t.Errorf("%s: the key would not sign it", tt.function)
		}
	}
}

func TestCallsRefused(t *testing.T) {
	t.Parallel()
	bare := contracts.NewCalls(contracts.Addresses{})
	huge := new(big.Int).Lsh(big.NewInt(1), 256)
	for name, made := range map[string]struct {
		err  error
		code fault.Code
	}{
		"faucet":            {second(bare.RequestTokens()), fault.FaucetMissing},
		"governor":          {second(bare.CastVote(number(1), 1, "")), fault.ContractMissing},
		"no poll":           {second(calls.Vote(core.Address{}, 0)), fault.VoteRefused},
		"choice 2":          {second(calls.Vote(somePoll, 2)), fault.VoteRefused},
		"support 3":         {second(calls.CastVote(number(1), 3, "")), fault.VoteRefused},
		"no proposal":       {second(calls.CastVote(nil, 1, "")), fault.VoteRefused},
		"negative proposal": {second(calls.CastVote(number(-1), 1, "")), fault.VoteRefused},
		"huge proposal":     {second(calls.CastVote(huge, 1, "")), fault.VoteRefused},
	} {
		if !errors.Is(made.err, made.code) {
			t.Errorf("%s: %v, want %s", name, made.err, made.code)
		}
	}
	if (contracts.Call{}).Valid() || bare.InitializeRound().Valid() {
		t.Error("a call to nowhere is valid")
	}
}

func second(_ contracts.Call, err error) error { return err }

// A caller that changes what it got must not change what is signed.
func TestCallIsImmutable(t *testing.T) {
	t.Parallel()
	c := calls.FundDeposit(core.NewWei(7))
	c.Data()[0]++
	c.Value().SetInt64(1)
	if again := calls.FundDeposit(core.NewWei(7)); !bytes.Equal(c.Data(), again.Data()) || c.Value().Int64() != 7 {
		t.Error("the call changed")
	}
}

func TestFor(t *testing.T) {
	t.Parallel()
	tests := []struct {
		action protocol.Action
		want   contracts.Call
	}{
		{protocol.Approve{Amount: core.NewLPT(1)}, calls.Approve(core.NewLPT(1))},
		{protocol.Bond{Amount: core.NewLPT(1), To: other}, calls.Bond(core.NewLPT(1), other, hints)},
		{protocol.Unbond{Amount: core.NewLPT(1)}, calls.Unbond(core.NewLPT(1), hint)},
		{protocol.Rebond{Lock: 2}, calls.Rebond(2, hint)},
		{protocol.RebondFromUnbonded{To: other, Lock: 2}, calls.RebondFromUnbonded(other, 2, hint)},
		{protocol.WithdrawStake{Lock: 2}, calls.WithdrawStake(2)},
		{protocol.WithdrawFees{Recipient: other, Amount: core.NewWei(1)}, calls.WithdrawFees(other, core.NewWei(1))},
		{protocol.ClaimEarnings{}, calls.ClaimEarnings()},
		{protocol.TransferTokens{To: other, Amount: core.NewLPT(1)}, calls.Transfer(other, core.NewLPT(1))},
		{protocol.RequestTokens{}, must(calls.RequestTokens())},
		{protocol.SetCommission{RewardCut: 1, FeeShare: 2}, calls.SetCommission(1, 2, hint)},
		{protocol.SetServiceURI{URI: "u"}, calls.SetServiceURI("u")},
		{protocol.Reward{}, calls.Reward(hint)},
		{protocol.RewardFor{Orchestrator: other}, calls.RewardForTranscoder(other, hint)},
		{protocol.SetRewardCaller{Caller: other}, calls.SetRewardCaller(other)},
		{protocol.InitializeRound{}, calls.InitializeRound()},
		{protocol.FundDeposit{Amount: core.NewWei(1)}, calls.FundDeposit(core.NewWei(1))},
		{protocol.FundDepositAndReserve{Deposit: core.NewWei(1), Reserve: core.NewWei(2)},
			calls.FundDepositAndReserve(core.NewWei(1), core.NewWei(2))},
		{protocol.Unlock{}, calls.Unlock()},
		{protocol.CancelUnlock{}, calls.CancelUnlock()},
		{protocol.WithdrawFunds{}, calls.WithdrawFunds()},
		{protocol.RedeemTicket{Ticket: vectorTicket()}, calls.RedeemWinningTicket(vectorTicket())},
		{protocol.VoteInPoll{Poll: somePoll, Choice: 1}, must(calls.Vote(somePoll, 1))},
		{protocol.VoteOnProposal{Proposal: number(1), Support: 1, Reason: "r"}, must(calls.CastVote(number(1), 1, "r"))},
	}
	for _, tt := range tests {
		got, err := calls.For(tt.action, hints)
		if err != nil {
			t.Errorf("%s: %v", tt.action.Verb(), err)
			continue
		}
		if got.Name() != tt.action.Verb() || got.Describe() != tt.want.Describe() || got.To() != tt.want.To() ||
			!bytes.Equal(got.Data(), tt.want.Data()) || got.Value().Cmp(tt.want.Value()) != 0 {
			t.Errorf("%s: got %s", tt.action.Verb(), got.Describe())
		}
	}
	if _, err := calls.For(nil, hints); err == nil {
		t.Error("no action gives a call")
	}
}

// The ticket of the protocol's test vectors.
func vectorTicket() protocol.WinningTicket {
	winProb := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 252), big.NewInt(1))
	rand := protocol.Word(common.BigToHash(big.NewInt(0xdeadbeef)))
	return protocol.WinningTicket{
		Recipient: core.Address(bytes.Repeat([]byte{0x11}, 20)),
		Sender:    core.Address(common.HexToAddress("0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf")),
		FaceValue: core.NewWei(1_000_000_000_000_000), WinProb: protocol.Word(common.BigToHash(winProb)), SenderNonce: 7,
		RecipientRandHash: protocol.Hash(crypto.Keccak256(rand[:])), CreationRound: 3500,
		CreationRoundHash: protocol.Hash(bytes.Repeat([]byte{0xab}, 32)), RecipientRand: rand,
		Signature: [65]byte(common.FromHex("0x045f9040384e7b4c269c748af3ab36207769ac8c3f0659bb6378b4a7" +
			"7691265542d75d1c1275f6ef469de76b942d4f26b735ab537f5717180993c780994d4a9c1b")),
	}
}

func TestRedeemVector(t *testing.T) {
	t.Parallel()
	ticket := vectorTicket()
	if got := ticket.Hash().String(); got != "0xfa3ec51bf134346b8cb6d759e5cc54f7a0e55a8dc44bca394e3addf1b3f563ae" {
		t.Errorf("hash %s", got)
	}
	if got := ticket.RecipientRandHash.String(); got !=
		"0x2cefe4e59877c202aee3aa8ffbee360a0e2b0b13d3c8a71ff2f292d98141c88b" {
		t.Errorf("recipientRandHash %s", got)
	}
	if got := hex.EncodeToString(ticket.AuxData()); got != strings.Repeat("0", 61)+"dac"+strings.Repeat("ab", 32) {
		t.Errorf("auxData %s", got)
	}
	c := calls.RedeemWinningTicket(ticket)
	if len(c.Data()) != 548 {
		t.Errorf("%d bytes, want 548", len(c.Data()))
	}
	if got := crypto.Keccak256Hash(c.Data()).Hex(); got !=
		"0x0cd6a11a903b41bffa1787860efa93710fcd1bb45fd85ef26fe329a6ce184ebe" {
		t.Errorf("call data %x", c.Data())
	}
	if c.Name() != "redeemWinningTicket" || c.To() != a(places.TicketBroker) || c.Value().Sign() != 0 ||
		c.Describe() != "redeem ticket 7 of "+ticket.Sender.String()+" over 0.001 ETH for "+ticket.Recipient.String() {
		t.Errorf("%s %s", c.Name(), c.Describe())
	}
	batch := calls.BatchRedeem([]protocol.WinningTicket{ticket, ticket})
	method, args := understood(t, "TicketBroker", batch.Data())
	if method.Name != "batchRedeemWinningTickets" || len(args[1].([][]byte)) != 2 ||
		batch.Describe() != "redeem 2 tickets over 0.002 ETH" {
		t.Errorf("%s %v", method.Name, args)
	}
}

func TestRewardVector(t *testing.T) {
	t.Parallel()
	c := calls.Reward(contracts.Hints{Prev: core.Address(bytes.Repeat([]byte{0x11}, 20))})
	want := "81871056" + strings.Repeat("0", 24) + strings.Repeat("11", 20) + strings.Repeat("0", 64)
	if got := hex.EncodeToString(c.Data()); got != want {
		t.Errorf("%s", got)
	}
}
