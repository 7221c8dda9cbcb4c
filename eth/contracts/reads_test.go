package contracts_test

import (
	"context"
	"errors"
	"math/big"
	"reflect"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

// never is how the contracts write a round that does not come.
var never = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1))

// of answers for one account and fails the test for others.
func of(t *testing.T, account core.Address, values ...any) answer {
	return func(args []any) []any {
		if args[0] != common.Address(account) {
			t.Errorf("asked about %v, want %v", args[0], account)
		}
		return values
	}
}

// protocolAnswers is a protocol in the middle of round 3500.
func protocolAnswers(t *testing.T) map[string]answer {
	return map[string]answer{
		"Controller.paused":                     always(true),
		"RoundsManager.currentRound":            always(number(3500)),
		"RoundsManager.currentRoundInitialized": always(true),
		"RoundsManager.currentRoundLocked":      always(false),
		"RoundsManager.currentRoundStartBlock":  always(number(22_000_000)),
		"RoundsManager.roundLength":             always(number(6377)),
		"RoundsManager.roundLockAmount":         always(number(100_000)),
		"RoundsManager.lastInitializedRound":    always(number(3500)),
		"RoundsManager.blockNum":                always(number(22_000_123)),
		"RoundsManager.blockHashForRound": func(args []any) []any {
			if args[0].(*big.Int).Int64() == 3500 {
				return []any{[32]byte{0xab}}
			}
			return []any{[32]byte{0xcd}}
		},
		"BondingManager.getTranscoder": of(t, other, number(3499), number(100_000), number(50_000), number(3498),
			number(3000), never,
			number(1), number(2), number(3), number(4)),
		"BondingManager.isActiveTranscoder":       of(t, other, true),
		"BondingManager.isRegisteredTranscoder":   of(t, other, true),
		"BondingManager.transcoderTotalStake":     of(t, other, tokens(1500)),
		"BondingManager.transcoderToRewardCaller": of(t, other, common.Address(another)),
		"ServiceRegistry.getServiceURI":           of(t, other, "https://orchestrator.example:8935"),
		"BondingManager.getTranscoderEarningsPoolForRound": of(t, other, tokens(1500), number(100_000), number(50_000),
			bigText("1000000000000000000000000000"), bigText("1")),
		"BondingManager.getDelegator": of(t, other, tokens(7), number(8), common.Address(another),
			tokens(9), number(10), number(11), number(12)),
		"BondingManager.pendingStake":                   of(t, other, tokens(13)),
		"BondingManager.pendingFees":                    of(t, other, number(14)),
		"BondingManager.delegatorStatus":                of(t, other, uint8(1)),
		"BondingManager.getDelegatorUnbondingLock":      of(t, other, tokens(5), number(3507)),
		"BondingManager.getTranscoderPoolSize":          always(number(99)),
		"BondingManager.getTranscoderPoolMaxSize":       always(number(100)),
		"BondingManager.unbondingPeriod":                always(uint64(7)),
		"BondingManager.getTotalBonded":                 always(tokens(1000)),
		"BondingManager.currentRoundTotalActiveStake":   always(tokens(999)),
		"BondingManager.treasuryRewardCutRate":          always(bigText("100000000000000000000000000")),
		"BondingManager.nextRoundTreasuryRewardCutRate": always(bigText("50000000000000000000000000")),
		"TicketBroker.unlockPeriod":                     always(number(2)),
		"TicketBroker.ticketValidityPeriod":             always(number(2)),
		"TicketBroker.claimedReserve":                   of(t, another, number(21)),
		"TicketBroker.claimableReserve":                 of(t, another, number(22)),
		"TicketBroker.usedTickets":                      always(true),
		"TicketBroker.getSenderInfo": always(
			struct{ Deposit, WithdrawRound *big.Int }{number(31), number(0)},
			struct{ FundsRemaining, ClaimedInCurrentRound *big.Int }{number(33), number(34)}),
		"Minter.inflation":                     always(number(260_000)),
		"Minter.inflationChange":               always(number(500)),
		"Minter.targetBondingRate":             always(number(500_000_000)),
		"Minter.currentMintableTokens":         always(tokens(5048)),
		"Minter.currentMintedTokens":           always(tokens(17)),
		"Minter.getGlobalTotalSupply":          always(tokens(30_000_000)),
		"LivepeerToken.balanceOf":              of(t, other, tokens(41)),
		"LivepeerToken.allowance":              of(t, other, tokens(42)),
		"LivepeerTokenFaucet.nextValidRequest": of(t, other, number(1_800_000_000)),
		"LivepeerGovernor.state":               always(uint8(1)),
		"LivepeerGovernor.proposalDeadline":    always(number(3510)),
		"LivepeerGovernor.hasVoted":            always(true),
		"Poll.endBlock":                        always(number(22_100_000)),
		"PriceFeed.description":                always("ETH / USD"),
		"PriceFeed.decimals":                   always(uint8(8)),
		"PriceFeed.latestRoundData": always(number(9), number(250_012_345_678), number(1), number(1_800_000_001),
			number(9)),
	}
}

func TestReads(t *testing.T) {
	t.Parallel()
	s, r := newScripted(t, protocolAnswers(t)), contracts.NewReads(places)
	read := func(want, got any, reads ...contracts.Read) {
		t.Helper()
		if err := contracts.ReadAll(context.Background(), s, 77, reads...); err != nil {
			t.Errorf("%s: %v", reads[0].Name(), err)
			return
		}
		if value := reflect.ValueOf(got).Elem().Interface(); !reflect.DeepEqual(value, want) {
			t.Errorf("%s: got %+v, want %+v", reads[0].Name(), value, want)
		}
	}
	var round protocol.RoundState
	read(protocol.RoundState{Number: 3500, Initialized: true, Start: 22_000_000, Length: 6377, LockLength: 637,
		LastInitialized: 3500}, &round, r.RoundState(&round)...)
	if round.LocksAt() != 22_000_000+5740 {
		t.Errorf("locks at %d", round.LocksAt())
	}
	var l1 protocol.L1Block
	read(protocol.L1Block(22_000_123), &l1, r.BlockNumber(&l1))
	var orchestrator protocol.Orchestrator
	read(protocol.Orchestrator{
		Address: other, ServiceURI: "https://orchestrator.example:8935", LastRewardRound: 3499, RewardCut: 100_000,
		FeeShare:       50_000,
		DelegatedStake: core.LPTTokens(1500), ActivationRound: 3000, DeactivationRound: protocol.Never,
		LastActiveStakeUpdateRound: 3498,
		Active:                     true, Registered: true, RewardCaller: another,
	}, &orchestrator, r.Orchestrator(other, &orchestrator)...)
	var pool protocol.EarningsPool
	read(protocol.EarningsPool{
		TotalStake: core.LPTTokens(1500), RewardCut: 100_000, FeeShare: 50_000,
		RewardFactor: bigText("1000000000000000000000000000"), FeeFactor: number(1),
	}, &pool, r.EarningsPool(other, 3500, &pool))
	var delegator protocol.Delegator
	read(protocol.Delegator{
		Address: other, Bonded: core.LPTTokens(7), Fees: core.NewWei(8), PendingStake: core.LPTTokens(13),
		PendingFees: core.NewWei(14),
		Delegate:    another, DelegatedAmount: core.LPTTokens(9), StartRound: 10, LastClaimRound: 11, NextLockID: 12,
		Status: protocol.Bonded,
	}, &delegator, r.Delegator(other, &delegator)...)
	var lock protocol.UnbondingLock
	read(protocol.UnbondingLock{ID: 4, Delegator: other, Amount: core.LPTTokens(5), WithdrawRound: 3507}, &lock,
		r.UnbondingLock(other, 4, &lock))
	var parameters protocol.Parameters
	read(protocol.Parameters{
		PoolMaxSize: 100, PoolSize: 99, RoundLength: 6377, RoundLockAmount: 100_000, UnbondingPeriod: 7, UnlockPeriod: 2,
		TicketValidity: 2,
		Inflation:      260_000, InflationChange: 500, TargetBondingRate: 500_000_000, TotalBonded: core.LPTTokens(1000),
		TotalSupply: core.LPTTokens(30_000_000), MintableTokens: core.LPTTokens(5048), MintedTokens: core.LPTTokens(17),
		Paused:      true,
		TreasuryCut: 100_000_000, NextTreasuryCut: 50_000_000,
	}, &parameters, r.Parameters(&parameters)...)
	var terms contracts.RewardTerms
	read(contracts.RewardTerms{Mintable: core.LPTTokens(5048), TotalActiveStake: core.LPTTokens(999),
		TreasuryCut: bigText("100000000000000000000000000")},
		&terms, r.RewardTerms(&terms)...)
	var sender protocol.Sender
	read(protocol.Sender{Deposit: core.NewWei(31), Reserve: protocol.Reserve{FundsRemaining: core.NewWei(33),
		ClaimedInCurrentRound: core.NewWei(34)}},
		&sender, r.Sender(another, &sender))
	var wei core.Wei
	read(core.NewWei(21), &wei, r.ClaimedReserve(another, other, &wei))
	var lpt core.LPT
	read(core.LPTTokens(41), &lpt, r.TokenBalance(other, &lpt))
	read(core.LPTTokens(42), &lpt, r.Allowance(other, &lpt))
	var yes bool
	read(true, &yes, r.UsedTicket(protocol.Hash{1}, &yes))
	var uri string
	read("https://orchestrator.example:8935", &uri, r.ServiceURI(other, &uri))
	var proposal contracts.Proposal
	read(contracts.Proposal{State: contracts.ProposalActive, Deadline: 3510, Voted: true}, &proposal,
		r.Proposal(number(5), other, &proposal)...)
	read(protocol.L1Block(22_100_000), &l1, r.PollEnd(somePoll, &l1))
	var quote contracts.Quote
	read(contracts.Quote{Description: "ETH / USD", Decimals: 8, Answer: number(250_012_345_678),
		Updated: time.Unix(1_800_000_001, 0).UTC()},
		&quote, r.Quote(someFeed, &quote)...)
	if got := quote.Price().FloatString(8); got != "2500.12345678" {
		t.Errorf("price %s", got)
	}
	for i, at := range s.blocks {
		if at != 77 {
			t.Errorf("batch %d was at block %d", i, at)
		}
	}
}

func TestReadFailures(t *testing.T) {
	t.Parallel()
	r := contracts.NewReads(places)
	var round protocol.Round
	tests := []struct {
		name  string
		alter func(string, *contracts.Result)
		want  fault.Code
	}{
		{"refused", func(_ string, x *contracts.Result) { *x = contracts.Result{Err: saying(t, "system is paused")} },
			fault.ProtocolPaused},
		{"no code", func(_ string, x *contracts.Result) { x.Data = nil }, fault.ContractMissing},
		{"too short", func(_ string, x *contracts.Result) { x.Data = make([]byte, 31) }, fault.ContractAnswerInvalid},
		{"endpoint", func(_ string, x *contracts.Result) {
			*x = contracts.Result{Err: fault.New(fault.RPCTimeout, "call",
				"")}
		}, fault.RPCTimeout},
	}
	for _, tt := range tests {
		s := newScripted(t, protocolAnswers(t))
		s.alter = tt.alter
		if err := contracts.ReadAll(context.Background(), s, 1, r.UnlockPeriod(&round)); fault.CodeOf(err) != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
	silent := newScripted(t, nil)
	if err := contracts.ReadAll(context.Background(), silent, 1); err != nil || len(silent.sizes) != 0 {
		t.Errorf("no questions: %v, batches of %v", err, silent.sizes)
	}
	var end protocol.L1Block
	if err := contracts.ReadAll(context.Background(), newScripted(t, nil), 1,
		r.PollEnd(core.Address{}, &end)); !errors.Is(err, fault.ContractMissing) {
		t.Errorf("zero address: %v", err)
	}
	// Numbers that the domain cannot hold.
	for name, odd := range map[string]answer{
		"BondingManager.delegatorStatus": always(uint8(3)),
		"BondingManager.getDelegator": always(tokens(7), number(8), common.Address{}, tokens(9), number(10), number(11),
			never),
	} {
		answers := protocolAnswers(t)
		answers[name] = odd
		var d protocol.Delegator
		if err := contracts.ReadAll(context.Background(), newScripted(t, answers), 1,
			r.Delegator(other, &d)...); !errors.Is(err, fault.ContractAnswerInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Contracts before LIP-118 do not know reward callers.
func TestRewardCallerUnknown(t *testing.T) {
	t.Parallel()
	r, caller := contracts.NewReads(places), core.Address{}
	if err := contracts.ReadAll(context.Background(), newScripted(t, nil), 1,
		r.RewardCaller(other, &caller)); err != nil || !caller.IsZero() {
		t.Errorf("%v, %v", caller, err)
	}
	down := newScripted(t, nil)
	down.alter = func(_ string, x *contracts.Result) { x.Err = fault.New(fault.RPCTimeout, "call", "") }
	if err := contracts.ReadAll(context.Background(), down, 1, r.RewardCaller(other, &caller)); !errors.Is(err,
		fault.RPCTimeout) {
		t.Errorf("an endpoint that fails says nothing about the contract: %v", err)
	}
}
