package remotesigner

import (
	"encoding/hex"
	"encoding/json"
	"math/big"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm"
)

// State is what a caller carries from one payment of a session to the next. Its names are the network's.
type State struct {
	StateID             string
	PMSessionID         string
	LastUpdate          time.Time
	OrchestratorAddress string
	App                 string
	AuthExpiry          int64
	SenderNonce         uint32
	// Balance is an exact number of wei, "1/3": what was paid beyond the work so far.
	Balance              string
	InitialPricePerUnit  int64
	InitialPixelsPerUnit int64
	Type                 Type
	SequenceNumber       uint64
	AuthID               string
	// OwnAuthID: the caller chose AuthID, no webhook did, so that it names no budget.
	OwnAuthID bool `json:",omitempty"`
}

// payer is whose budget the payments of a session count on; "" is that of all callers that no webhook names.
func (s *State) payer() string {
	if s.OwnAuthID {
		return ""
	}
	return s.AuthID
}

// SignedState is a state as it travels.
type SignedState struct {
	State, Sig []byte
}

// price is the one with which the session began.
func (s *State) price() pm.Price {
	return pm.Price{PerUnit: s.InitialPricePerUnit, PixelsPerUnit: s.InitialPixelsPerUnit}
}

// maxBalance bounds the text of a balance; an exponent is none of ours, and could make a number of any size.
const maxBalance = 4096

// Left is what is left of earlier payments. A state of ours always has it.
func (s *State) Left() (pm.Value, bool) {
	if len(s.Balance) > maxBalance || strings.ContainsAny(s.Balance, "eEpPxX") {
		return pm.Value{}, false
	}
	r, ok := new(big.Rat).SetString(s.Balance)
	if !ok {
		return pm.Value{}, false
	}
	return pm.ValueOf(r), true
}

// hexOf writes bytes as the network does.
func hexOf(b []byte) string { return "0x" + hex.EncodeToString(b) }

// sessionOf names the parameters within which nonces are counted.
func sessionOf(hash protocol.Hash) string { return hexOf(hash[:]) }

// readState checks a caller's state. Errors are refusals.
func (s *Signer) readState(ask *Ask) (*State, error) {
	if err := signature.EthVerify(common.Address(s.opt.Account), ask.State.State, ask.State.Sig); err != nil {
		return nil, bad("invalid sig")
	}
	var state State
	if json.Unmarshal(ask.State.State, &state) != nil || state.StateID == "" {
		return nil, bad("invalid state")
	}
	if _, ok := state.Left(); !ok {
		return nil, bad("invalid state")
	}
	switch {
	case !strings.EqualFold(state.OrchestratorAddress, hexOf(ask.Terms.Address[:])):
		return nil, bad("orchestratorAddress mismatch")
	case state.App != ask.App:
		return nil, bad("app mismatch")
	case state.Type != "" && state.Type != ask.Type:
		return nil, bad("job type mismatch")
	}
	return &state, nil
}

// firstState begins a session.
func (s *Signer) firstState(ask *Ask) *State {
	var id [16]byte
	s.opt.Random(id[:])
	return &State{
		StateID: hex.EncodeToString(id[:]), OrchestratorAddress: hexOf(ask.Terms.Address[:]), App: ask.App, Type: ask.Type,
		Balance: "0", InitialPricePerUnit: ask.Terms.Price.PerUnit, InitialPixelsPerUnit: ask.Terms.Price.PixelsPerUnit,
	}
}

// sign makes a state that its holder can show.
func (s *Signer) sign(state *State) (SignedState, error) {
	const op = "sign the state of a session"
	text, err := json.Marshal(state)
	if err != nil {
		return SignedState{}, fault.Wrap(fault.Unexpected, op, err)
	}
	m, err := signature.StateMessage(text)
	if err != nil {
		return SignedState{}, fault.Wrap(fault.Unexpected, op, err)
	}
	sig, err := s.opt.Sign(m)
	if err != nil {
		return SignedState{}, fault.Wrap(fault.PaymentUnsigned, op, err)
	}
	return SignedState{State: text, Sig: sig}, nil
}

// manifest makes an id for a session whose caller names none.
func (s *Signer) manifest() core.ManifestID {
	var id [16]byte
	s.opt.Random(id[:])
	return core.ManifestID(hex.EncodeToString(id[:]))
}
