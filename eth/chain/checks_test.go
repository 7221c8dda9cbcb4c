package chain

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

// everyAction is one action of each kind that nothing in good speaks against.
var everyAction = []protocol.Action{
	protocol.Approve{Amount: core.NewLPT(1)}, protocol.Bond{Amount: core.LPTTokens(1), To: addressOf(1)},
	protocol.Unbond{Amount: core.LPTTokens(1)},
	protocol.Rebond{Lock: 1}, protocol.RebondFromUnbonded{To: addressOf(2), Lock: 1}, protocol.WithdrawStake{Lock: 1},
	protocol.WithdrawFees{Recipient: addressOf(1), Amount: core.NewWei(1)}, protocol.ClaimEarnings{},
	protocol.TransferTokens{To: addressOf(2), Amount: core.LPTTokens(1)}, protocol.RequestTokens{},
	protocol.SetCommission{RewardCut: 1, FeeShare: 2}, protocol.SetServiceURI{URI: "https://x:1"}, protocol.Reward{},
	protocol.RewardFor{Orchestrator: addressOf(2)}, protocol.SetRewardCaller{Caller: addressOf(2)},
	protocol.InitializeRound{},
	protocol.FundDeposit{Amount: core.NewWei(1)}, protocol.FundDepositAndReserve{Deposit: core.NewWei(1),
		Reserve: core.NewWei(1)},
	protocol.Unlock{}, protocol.CancelUnlock{}, protocol.RedeemTicket{}, protocol.RedeemTickets{},
	protocol.WithdrawFunds{},
	protocol.VoteInPoll{Poll: addressOf(5)}, protocol.VoteOnProposal{Proposal: big.NewInt(1)},
}

// good are facts under which an action works.
func good(a protocol.Action) actionState {
	f := actionState{
		account: addressOf(1), faucet: true,
		round:    protocol.RoundState{Number: 10, Initialized: true, LastInitialized: 10, Start: 1000, Length: 100},
		balances: protocol.Balances{Token: core.LPTTokens(5), Allowance: core.LPTTokens(5)},
		stake: protocol.Delegator{
			Bonded: core.LPTTokens(5), PendingStake: core.LPTTokens(6), PendingFees: core.NewWei(7), Delegate: addressOf(1),
			Status: protocol.Bonded,
		},
		lock: protocol.UnbondingLock{ID: 1, Amount: core.LPTTokens(1), WithdrawRound: 10},
		record: protocol.Orchestrator{Address: addressOf(2), Registered: true, Active: true, LastRewardRound: 9,
			RewardCaller: addressOf(1), DeactivationRound: protocol.Never},
		sender: protocol.Sender{Deposit: core.NewWei(1)}, pollEnd: 1200,
		contracts: map[string]core.Address{"LivepeerToken": addressOf(91), "BondingManager": addressOf(92)},
	}
	switch a.(type) {
	case protocol.RebondFromUnbonded:
		f.stake.Status, f.stake.Bonded = protocol.Unbonded, core.LPT{}
	case protocol.SetCommission:
		f.record.LastRewardRound = 10
	case protocol.InitializeRound:
		f.round.Initialized = false
	case protocol.CancelUnlock:
		f.sender.WithdrawRound = 12
	case protocol.WithdrawFunds:
		f.sender.WithdrawRound = 10
	}
	return f
}

// verbs are the actions that package protocol has, read from its source.
func verbs(t *testing.T) map[string]bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../core/protocol/action.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]bool)
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if ok && f.Recv != nil && f.Name.Name == "Verb" {
			out[f.Recv.List[0].Type.(*ast.Ident).Name] = true
		}
	}
	return out
}

func TestEveryActionIsHandled(t *testing.T) {
	t.Parallel()
	left := verbs(t)
	if len(left) < 20 {
		t.Fatalf("only %d actions found", len(left))
	}
	at := contracts.Addresses{Controller: addressOf(90), LivepeerToken: addressOf(91), BondingManager: addressOf(92),
		TicketBroker: addressOf(93), RoundsManager: addressOf(94),
		Minter: addressOf(95), ServiceRegistry: addressOf(96), Registry: addressOf(96), LivepeerTokenFaucet: addressOf(97),
		LivepeerGovernor: addressOf(98)}
	for _, a := range everyAction {
		name := reflect.TypeOf(a).Name()
		delete(left, name)
		f := good(a)
		if err := check(a, f); err != nil {
			t.Errorf("%s is refused: %v", name, err)
		}
		call, err := contracts.NewCalls(at).For(a, contracts.BondHints{})
		if err != nil || !call.Valid() || call.Name() != a.Verb() {
			t.Errorf("%s: call %q, %v", name, call.Name(), err)
		}
		g := guardsOf(a)
		for code, spoil := range map[fault.Code]func(*actionState){
			fault.ProtocolPaused:      func(f *actionState) { f.paused = true },
			fault.RoundNotInitialized: func(f *actionState) { f.round.Initialized = false },
		} {
			f := good(a)
			spoil(&f)
			want := code == fault.ProtocolPaused && g.paused || code == fault.RoundNotInitialized && g.round
			if err := check(a, f); errors.Is(err, code) != want {
				t.Errorf("%s with %s: %v", name, code, err)
			}
		}
	}
	for name := range left {
		t.Errorf("nothing is said about %s", name)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	bond, self := protocol.Bond{Amount: core.LPTTokens(1), To: addressOf(1)}, addressOf(1)
	tests := []struct {
		name   string
		a      protocol.Action
		spoil  func(*actionState)
		code   fault.Code
		detail string
	}{
		{"no tokens", bond, func(f *actionState) { f.balances.Token = core.NewLPT(1) }, fault.TokensMissing,
			"has 0.000000000000000001 LPT, 1 are to go"},
		{"no allowance", bond, func(f *actionState) { f.balances.Allowance = core.LPT{} }, fault.AllowanceMissing,
			"0 LPT are allowed"},
		{"nothing bonded again", protocol.Bond{To: self}, nil, fault.ActionInvalid, "no stake would move"},
		{"bond to no address", protocol.Bond{Amount: core.NewLPT(1)}, nil, fault.ActionInvalid, "no address"},
		{"own stake elsewhere", protocol.Bond{Amount: core.NewLPT(1), To: addressOf(2)}, nil, fault.CannotMoveOwnStake,
			"unbond first"},
		{"unbond nothing", protocol.Unbond{}, nil, fault.ActionInvalid, "0"},
		{"unbond while pending", protocol.Unbond{Amount: core.NewLPT(1)}, func(f *actionState) {
			f.stake.Status,
				f.stake.StartRound = protocol.Pending, 11
		}, fault.StakeMissing, "from round 11"},
		{"unbond without a bond", protocol.Unbond{Amount: core.NewLPT(1)},
			func(f *actionState) { f.stake.Status = protocol.Unbonded }, fault.StakeMissing, "no bond"},
		{"unbond more than all", protocol.Unbond{Amount: core.LPTTokens(7)}, nil, fault.StakeMissing, "6 LPT are bonded"},
		{"unknown lock", protocol.Rebond{Lock: 4}, func(f *actionState) { f.lock = protocol.UnbondingLock{} },
			fault.UnbondingLockUnknown, "lock 4"},
		{"rebond of an unknown lock", protocol.Rebond{Lock: 1}, func(f *actionState) { f.stake.Status = protocol.Unbonded },
			fault.StakeMissing, "name an orchestrator"},
		{"rebond elsewhere", protocol.RebondFromUnbonded{To: addressOf(2), Lock: 1},
			func(f *actionState) { f.stake.Status = protocol.Bonded }, fault.StillBonded, "bonded to"},
		{"too early", protocol.WithdrawStake{Lock: 1}, func(f *actionState) { f.lock.WithdrawRound = 11 },
			fault.UnbondingLockWaiting, "free in round 11, this is round 10"},
		{"more fees than earned", protocol.WithdrawFees{Recipient: self, Amount: core.NewWei(8)}, nil, fault.FeesMissing,
			"0.000000000000000007 ETH are earned"},
		{"pay to no address", protocol.WithdrawFees{}, nil, fault.ActionInvalid, "no address"},
		{"send to no address", protocol.TransferTokens{}, nil, fault.ActionInvalid, "no address"},
		{"send to a contract", protocol.TransferTokens{To: addressOf(91), Amount: core.LPTTokens(1)}, nil,
			fault.RecipientIsContract, "LivepeerToken"},
		{"pay to a contract", protocol.WithdrawFees{Recipient: addressOf(92), Amount: core.NewWei(1)}, nil,
			fault.RecipientIsContract, "BondingManager"},
		{"bond to a stranger", protocol.Bond{Amount: core.LPTTokens(1), To: addressOf(2)}, func(f *actionState) {
			f.record.Registered, f.stake.Delegate = false, addressOf(3)
		}, fault.DelegateNotRegistered, addressOf(2).String()},
		{"move a lock to a stranger", protocol.RebondFromUnbonded{To: addressOf(2), Lock: 1},
			func(f *actionState) { f.record.Registered = false }, fault.DelegateNotRegistered, addressOf(2).String()},
		{"vote without a poll", protocol.VoteInPoll{Poll: addressOf(5)}, func(f *actionState) { f.pollEnd = 0 },
			fault.PollMissing, addressOf(5).String()},
		{"send too much", protocol.TransferTokens{To: self, Amount: core.LPTTokens(6)}, nil, fault.TokensMissing, "5 LPT"},
		{"no faucet", protocol.RequestTokens{}, func(f *actionState) { f.faucet = false }, fault.FaucetMissing, ""},
		{"over the whole", protocol.SetCommission{FeeShare: core.Whole + 1}, nil, fault.ActionInvalid, "100 %"},
		{"cuts of an unregistered account", protocol.SetCommission{}, func(f *actionState) { f.record.Registered = false },
			fault.NotRegistered, ""},
		{"cuts in the lock", protocol.SetCommission{}, func(f *actionState) { f.round.Locked = true }, fault.RoundLocked,
			"until layer-1 block 1100"},
		{"cuts before the reward", protocol.SetCommission{}, func(f *actionState) { f.record.LastRewardRound = 9 },
			fault.CommissionNeedsReward, "round 10"},
		{"reward when inactive", protocol.Reward{}, func(f *actionState) { f.record.Active = false }, fault.RewardNotDue,
			"not active"},
		{"reward twice", protocol.Reward{}, func(f *actionState) { f.record.LastRewardRound = 10 }, fault.RewardNotDue,
			"was called"},
		{"reward for a stranger", protocol.RewardFor{Orchestrator: addressOf(2)},
			func(f *actionState) { f.record.RewardCaller = addressOf(7) }, fault.RewardCallerRefused, addressOf(7).String()},
		{"round is open", protocol.InitializeRound{}, func(f *actionState) { f.round.Initialized = true },
			fault.RoundAlreadyInitialized, "round 10"},
		{"unlock nothing", protocol.Unlock{}, func(f *actionState) { f.sender = protocol.Sender{} },
			fault.SenderFundsMissing, ""},
		{"unlock twice", protocol.Unlock{}, func(f *actionState) { f.sender.WithdrawRound = 12 }, fault.SenderUnlockState,
			"round 12"},
		{"cancel nothing", protocol.CancelUnlock{}, func(f *actionState) { f.sender.WithdrawRound = 0 },
			fault.SenderUnlockState, ""},
		{"withdraw nothing", protocol.WithdrawFunds{}, func(f *actionState) { f.sender = protocol.Sender{} },
			fault.SenderFundsMissing, ""},
		{"withdraw locked", protocol.WithdrawFunds{}, func(f *actionState) { f.sender.WithdrawRound = 0 },
			fault.SenderUnlockState, ""},
		{"withdraw early", protocol.WithdrawFunds{}, func(f *actionState) { f.sender.WithdrawRound = 11 },
			fault.SenderUnlockState, "this is round 10"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := good(tt.a)
			if tt.spoil != nil {
				tt.spoil(&f)
			}
			err := check(tt.a, f)
			if !errors.Is(err, tt.code) || !strings.Contains(err.Error(), tt.detail) {
				t.Errorf("%v, want %s with %q", err, tt.code, tt.detail)
			}
		})
	}
}
