package contracts_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"unicode"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/eth/contracts"
)

// situations are the contracts' words and what they mean, by the protocol's
// table and its list of functions.
var situations = map[string]fault.Code{
	"system is paused":                         fault.ProtocolPaused,
	"target contract must be registered":       fault.ContractMissing,
	"current round is not initialized":         fault.RoundNotInitialized,
	"round already initialized":                fault.RoundAlreadyInitialized,
	"transcoder must be active":                fault.RewardNotDue,
	"caller must be an active transcoder":      fault.RewardNotDue,
	"transcoder must be registered":            fault.NotRegistered,
	"delegation amount must be greater than 0": fault.ActionInvalid,
	"unbond amount must be greater than 0":     fault.ActionInvalid,
	"invalid rewardCut percentage":             fault.ActionInvalid,
	"invalid feeShare percentage":              fault.ActionInvalid,
	"invalid recipient":                        fault.ActionInvalid,
	"caller must be bonded":                    fault.StakeMissing,
	"caller must be unbonded":                  fault.StillBonded,
	"amount is greater than bonded amount":     fault.StakeMissing,
	"insufficient fees to withdraw":            fault.FeesMissing,
	"invalid unbonding lock ID":                fault.UnbondingLockUnknown,

	"withdraw round must be before or equal to the current round":                     fault.UnbondingLockWaiting,
	"caller has already called reward for the current round":                          fault.RewardNotDue,
	"caller must be a reward caller set by the transcoder":                            fault.RewardCallerRefused,
	"caller can't be active or must have already called reward for the current round": fault.CommissionNeedsReward,
	"can't update transcoder params, current round is locked":                         fault.RoundLocked,
	"transcoder has not yet called reward for the current round":                      fault.DelegateMustReward,
	"registered transcoders can't delegate towards other addresses":                   fault.CannotMoveOwnStake,

	"ticket recipient is null address":                        fault.TicketMalformed,
	"ticket sender is null address":                           fault.TicketMalformed,
	"invalid length for ticket auxData: must be 64 bytes":     fault.TicketMalformed,
	"ticket creationRound does not have a block hash":         fault.TicketRoundUnknown,
	"ticket creationRoundBlockHash invalid for creationRound": fault.TicketRoundUnknown,
	"ticket is expired":                                       fault.TicketExpired,
	"recipientRand does not match recipientRandHash":          fault.TicketSecretWrong,
	"ticket is used":                                          fault.TicketUsed,
	"INVALID_SIGNATURE_LENGTH":                                fault.TicketSignatureWrong,
	"ECDSA: invalid signature":                                fault.TicketSignatureWrong,
	"ECDSA: invalid signature 's' value":                      fault.TicketSignatureWrong,
	"invalid signature over ticket hash":                      fault.TicketSignatureWrong,
	"ticket did not win":                                      fault.TicketNotWinning,
	"sender is unlocked":                                      fault.SenderUnlocked,
	"sender deposit and reserve are zero":                     fault.SenderFundsMissing,
	"unlock already initiated":                                fault.SenderUnlockState,
	"no unlock request in progress":                           fault.SenderUnlockState,
	"account is locked":                                       fault.SenderUnlockState,
	"ERC20: insufficient allowance":                           fault.AllowanceMissing,
	"ERC20: transfer amount exceeds balance":                  fault.TokensMissing,
	"poll is over":                                            fault.VoteRefused,
	"Governor: vote not currently active":                     fault.VoteRefused,
	"something unknown":                                       fault.ContractReverted,
}

// Servers send the same refusal in several ways.
func TestSituations(t *testing.T) {
	t.Parallel()
	for text, want := range situations {
		for name, err := range map[string]error{
			"data":            saying(t, text),
			"data in a word":  revert{data: "Reverted 0x" + hex.EncodeToString(errorString(t, text))},
			"data in object":  revert{data: map[string]any{"data": "0x" + hex.EncodeToString(errorString(t, text))}},
			"text":            errors.New("execution reverted: " + text),
			"text and number": errors.New("execution reverted: " + text + " (JSON-RPC error 3)"),
			"quoted text": errors.New("VM Exception while processing transaction: reverted with reason string '" + text +
				"'"),
			"wrapped": fmt.Errorf("endpoint 1: %w", saying(t, text)),
		} {
			got := contracts.Explain("try", err)
			f := new(fault.Fault)
			if !errors.As(got, &f) || f.Code != want || !strings.Contains(f.Detail, text) {
				t.Errorf("%s as %s: %v, want %s", text, name, got, want)
			}
		}
	}
}

func TestMeaningByCall(t *testing.T) {
	t.Parallel()
	redeem, faucet := calls.RedeemWinningTicket(vectorTicket()), must(calls.RequestTokens())
	tests := []struct {
		call contracts.Call
		err  error
		want fault.Code
	}{
		{calls.Reward(hint), saying(t, "transcoder must be active"), fault.RewardNotDue},
		{redeem, saying(t, "transcoder must be active"), fault.RecipientInactive},
		{redeem, saying(t, "transcoder must be registered"), fault.RecipientInactive},
		{calls.BatchRedeem(nil), saying(t, "transcoder must be active"), fault.RecipientInactive},
		{redeem, saying(t, "sender deposit and reserve are zero"), fault.SenderEmpty},
		{calls.Unlock(), saying(t, "sender deposit and reserve are zero"), fault.SenderFundsMissing},
		{redeem, saying(t, "ticket is used"), fault.TicketUsed},
		{faucet, revert{data: "0x", code: 3}, fault.FaucetTooEarly},
		{faucet, errors.New("execution reverted (JSON-RPC error 3)"), fault.FaucetTooEarly},
		{faucet, saying(t, "system is paused"), fault.ProtocolPaused},
		{calls.Unlock(), revert{data: "0x", code: 3}, fault.ContractReverted},
	}
	for _, tt := range tests {
		if got := tt.call.Explain(tt.err); !errors.Is(got, tt.want) {
			t.Errorf("%s: %v, want %s", tt.call.Name(), got, tt.want)
		}
	}
}

// What is no refusal of a contract stays what it is.
func TestNotReverted(t *testing.T) {
	t.Parallel()
	for _, err := range []error{context.DeadlineExceeded, fault.New(fault.RPCTimeout, "call", ""),
		revert{message: "insufficient funds", code: -32000}} {
		if contracts.IsRevert(err) {
			t.Errorf("%v counts as a refusal", err)
		}
		if got := contracts.Explain("try", err); !errors.Is(got, err) {
			t.Errorf("%v became %v", err, got)
		}
		if got := calls.Unlock().Explain(err); !errors.Is(got, err) {
			t.Errorf("%v became %v", err, got)
		}
	}
	if contracts.Explain("try", nil) != nil || calls.Unlock().Explain(nil) != nil || contracts.IsRevert(nil) {
		t.Error("no error became one")
	}
}

func TestDecodeRevert(t *testing.T) {
	t.Parallel()
	word := func(n int64) string { return fmt.Sprintf("%064x", n) }
	tests := []struct {
		data string
		code fault.Code
		text string
	}{
		{"", fault.ContractReverted, ""},
		{"08c379", fault.ContractReverted, ""},
		{"4e487b71" + word(0x11), fault.ContractPanicked, "arithmetic underflow or overflow"},
		{"4e487b71" + word(1), fault.ContractPanicked, "assert(false)"},
		{"b3808bab", fault.VoteRefused, "LivepeerGovernorVoteAlreadyCast {}"},
		{"2081b223" + word(9), fault.VoteRefused, "LivepeerGovernorInvalidVoteType {9}"},
		{"7f07449b" + word(5) + word(3), fault.ContractReverted, "BondingVotesFutureLookup {5 3}"},
		{"7f07449b" + word(5), fault.ContractReverted, "unknown error 0x7f07449b"},
		{"deadbeef", fault.ContractReverted, "unknown error 0xdeadbeef"},
	}
	for _, tt := range tests {
		data, err := hex.DecodeString(tt.data)
		if err != nil {
			t.Fatal(err)
		}
		if got := contracts.DecodeRevert(data); got.Code != tt.code || got.Text != tt.text {
			t.Errorf("%s: %+v", tt.data, got)
		}
	}
	long := contracts.DecodeRevert(errorString(t, strings.Repeat("é\n", 500)))
	if n := len([]rune(long.Text)); n != 300 || strings.Contains(long.Text, "\n") {
		t.Errorf("%d characters: %q", n, long.Text)
	}
}

// Whatever a contract or a server sends, the fault is one readable line and its
// code is one of the table.
func FuzzExplain(f *testing.F) {
	f.Add([]byte{}, "execution reverted")
	f.Add(errorString(f, "ticket is used"), "")
	f.Add(errorString(f, strings.Repeat("\x00", 400)), "reverted: '")
	f.Add([]byte{0x4e, 0x48, 0x7b, 0x71, 1}, "revert")
	f.Add([]byte{0x20, 0x81, 0xb2, 0x23}, "x")
	f.Add(append([]byte{0x86, 0x6c, 0xb4, 0x2d}, new(big.Int).Lsh(big.NewInt(1), 255).Bytes()...), "x")
	f.Fuzz(func(t *testing.T, data []byte, message string) {
		reason := contracts.DecodeRevert(data)
		if _, ok := fault.Lookup(reason.Code); !ok || len([]rune(reason.Text)) > 300 ||
			strings.ContainsFunc(reason.Text, unprintable) {
			t.Errorf("%+v", reason)
		}
		err := revert{message: message, data: "0x" + hex.EncodeToString(data), code: 3}
		got := new(fault.Fault)
		if !errors.As(contracts.Explain("try", err), &got) || len([]rune(got.Detail)) > 1500 ||
			strings.ContainsFunc(got.Detail, unprintable) {
			t.Errorf("%v", got)
		}
	})
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }
