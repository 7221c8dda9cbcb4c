package contracts_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

const zeroAddress = "0x0000000000000000000000000000000000000000"

// places are where the contracts of the tests are.
var places = contracts.Addresses{
	Controller: core.Address{1}, LivepeerToken: core.Address{2}, BondingManager: core.Address{3},
	TicketBroker: core.Address{4}, RoundsManager: core.Address{5}, Minter: core.Address{6},
	ServiceRegistry: core.Address{7}, AIServiceRegistry: core.Address{8}, Registry: core.Address{8},
	LivepeerTokenFaucet: core.Address{9}, LivepeerGovernor: core.Address{10},
	BondingVotes: core.Address{11}, PollCreator: core.Address{12},
}

var (
	somePoll = core.Address{13}
	someFeed = core.Address{14}
	other    = core.Address{0xaa}
	another  = core.Address{0xbb}
)

// answer is what a contract's function returns, from its arguments.
type answer func(args []any) []any

// always answers the same.
func always(values ...any) answer { return func([]any) []any { return values } }

// scripted plays the contracts: it understands what is packed and packs what it
// answers, by the contracts' interfaces alone.
type scripted struct {
	t *testing.T
	// at is the contracts by address, answers what they say, by "Contract.function".
	at      map[common.Address]string
	answers map[string]answer
	// blocks are those of the batches so far, sizes their sizes.
	blocks []protocol.L2Block
	sizes  []int
	// alter may change a result.
	alter func(name string, r *contracts.Result)
}

func newScripted(t *testing.T, answers map[string]answer) *scripted {
	s := &scripted{t: t, answers: answers, at: map[common.Address]string{
		common.Address(somePoll): "Poll", common.Address(someFeed): "PriceFeed",
		common.Address(places.AIServiceRegistry): "ServiceRegistry",
	}}
	for name, address := range places.ByName() {
		if name != "AIServiceRegistry" {
			s.at[common.Address(address)] = name
		}
	}
	return s
}

func (s *scripted) CallBatch(_ context.Context, at protocol.L2Block, calls []ethereum.CallMsg) ([]contracts.Result,
	error) {
	s.blocks, s.sizes = append(s.blocks, at), append(s.sizes, len(calls))
	out := make([]contracts.Result, len(calls))
	for i, c := range calls {
		contract, ok := s.at[*c.To]
		if !ok {
			continue
		}
		name, result := s.call(contract, c.Data)
		if s.alter != nil {
			s.alter(name, &result)
		}
		out[i] = result
	}
	return out, nil
}

func (s *scripted) call(contract string, data []byte) (string, contracts.Result) {
	s.t.Helper()
	method, args := understood(s.t, contract, data)
	name := contract + "." + method.Name
	give, ok := s.answers[name]
	if !ok {
		return name, contracts.Result{Err: revert{}}
	}
	packed, err := method.Outputs.Pack(give(args)...)
	if err != nil {
		s.t.Fatalf("%s: %v", name, err)
	}
	return name, contracts.Result{Data: packed}
}

// understood reads call data as a contract does.
func understood(t *testing.T, contract string, data []byte) (*abi.Method, []any) {
	t.Helper()
	method, err := parsed(t, contract).MethodById(data)
	if err != nil {
		t.Fatalf("%s: %v", contract, err)
	}
	args, err := method.Inputs.Unpack(data[4:])
	if err != nil {
		t.Fatalf("%s: %v", method.Name, err)
	}
	return method, args
}

// revert is a contract's refusal as an RPC server sends it.
type revert struct {
	message string
	data    any
	code    int
}

func (r revert) Error() string {
	if r.message == "" {
		return "execution reverted"
	}
	return r.message
}

func (r revert) ErrorData() any { return r.data }

func (r revert) ErrorCode() int { return r.code }

// errorString is the revert data of Error(string).
func errorString(t testing.TB, text string) []byte {
	t.Helper()
	kind, err := abi.NewType("string", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	packed, err := abi.Arguments{{Type: kind}}.Pack(text)
	if err != nil {
		t.Fatal(err)
	}
	return append([]byte{0x08, 0xc3, 0x79, 0xa0}, packed...)
}

// saying is a refusal with Error(string).
func saying(t testing.TB, text string) error {
	return revert{"execution reverted", "0x" + hex.EncodeToString(errorString(t, text)), 3}
}

func number(n int64) *big.Int { return big.NewInt(n) }

// tokens is n whole tokens in the contract's unit.
func tokens(n uint64) *big.Int { return core.LPTTokens(n).Big() }

func bigText(format string, args ...any) *big.Int {
	n, ok := new(big.Int).SetString(fmt.Sprintf(format, args...), 10)
	if !ok {
		panic("no number: " + format)
	}
	return n
}
