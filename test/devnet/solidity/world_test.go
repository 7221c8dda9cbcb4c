package solidity

import (
	"bytes"
	"fmt"
	"maps"
	"math/big"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"
)

const (
	firstL1  = 20_000_000
	gasLimit = 12_000_000
)

var (
	owner     = account("owner")
	sequencer = account("sequencer")
)

// world is a state with the contracts in it, and the heights of its chain.
type world struct {
	testing.TB
	db    *state.StateDB
	at    map[string]common.Address
	abis  map[string]abi.ABI
	block uint64
	time  uint64
	l1    uint64
}

// ground is the state after the deployment, before any round is initialized. It
// is made once, and every scenario gets a copy.
var ground = sync.OnceValues(func() (*world, error) {
	db, err := state.New(types.EmptyRootHash, state.NewDatabaseForTesting())
	if err != nil {
		return nil, err
	}
	w := &world{db: db, abis: make(map[string]abi.ABI), block: 1000, time: 1_800_000_000, l1: firstL1}
	clock, err := ArtifactOf("L1Clock")
	if err != nil {
		return nil, err
	}
	db.SetCode(ClockAddress, clock.Runtime, tracing.CodeChangeGenesis)
	db.SetState(ClockAddress, common.Hash{}, common.BigToHash(big.NewInt(firstL1)))
	db.SetState(ClockAddress, common.BigToHash(big.NewInt(1)), common.BytesToHash(sequencer.Bytes()))
	plan, err := NewPlan(owner, 0, DefaultSettings())
	if err != nil {
		return nil, err
	}
	w.at = maps.Clone(plan.Addresses)
	w.at["L1Clock"] = ClockAddress
	for _, step := range plan.Steps {
		if r := w.transact(owner, step.To, step.Data, nil); r.err != nil {
			return nil, fmt.Errorf("%s: %s", step.What, r.reason())
		}
	}
	return w, w.readInterfaces()
})

// copying keeps two scenarios from copying one state at once.
var copying sync.Mutex

// newWorld is a fresh chain with round 3500 initialized.
func newWorld(t testing.TB) *world {
	t.Helper()
	g, err := ground()
	if err != nil {
		t.Fatal(err)
	}
	w := g.fork(t)
	w.ok(owner, "RoundsManager", "initializeRound")
	return w
}

func (w *world) fork(t testing.TB) *world {
	copying.Lock()
	defer copying.Unlock()
	c := *w
	c.TB, c.db, c.at = t, w.db.Copy(), maps.Clone(w.at)
	return &c
}

func (w *world) readInterfaces() error {
	names, err := Names()
	if err != nil {
		return err
	}
	for _, name := range append(names, "AIServiceRegistry") {
		contract := name
		if name == "AIServiceRegistry" {
			contract = "ServiceRegistry"
		}
		a, err := ArtifactOf(contract)
		if err != nil {
			return err
		}
		if w.abis[name], err = a.Interface(); err != nil {
			return err
		}
	}
	return nil
}

// result is what a transaction or a call did.
type result struct {
	data []byte
	logs []*types.Log
	gas  uint64
	err  error
}

// reason is why it was reverted, in the contract's words; a custom error is given
// by its selector.
func (r result) reason() string {
	if r.err == nil {
		return ""
	}
	if text, err := abi.UnpackRevert(r.data); err == nil {
		return text
	}
	if len(r.data) >= 4 {
		return fmt.Sprintf("0x%x", r.data[:4])
	}
	return r.err.Error()
}

// evm executes in the current block. Block hashes are those of no real chain.
func (w *world) evm(from common.Address) *vm.EVM {
	random := crypto.Keccak256Hash([]byte("random"))
	evm := vm.NewEVM(vm.BlockContext{
		CanTransfer: core.CanTransfer, Transfer: core.Transfer,
		GetHash:  func(n uint64) common.Hash { return crypto.Keccak256Hash(new(big.Int).SetUint64(n).Bytes()) },
		GasLimit: 1 << 40, BlockNumber: new(big.Int).SetUint64(w.block), Time: w.time,
		Difficulty: new(big.Int), BaseFee: new(big.Int), BlobBaseFee: new(big.Int), Random: &random,
	}, w.db, params.AllDevChainProtocolChanges, vm.Config{})
	evm.SetTxContext(vm.TxContext{Origin: from, GasPrice: new(uint256.Int)})
	return evm
}

// transact executes a transaction in a block of its own.
func (w *world) transact(from common.Address, to *common.Address, data []byte, value *big.Int) (r result) {
	w.block++
	amount := new(uint256.Int)
	if value != nil {
		amount.SetFromBig(value)
	}
	evm := w.evm(from)
	rules := params.AllDevChainProtocolChanges.Rules(evm.Context.BlockNumber, true, w.time)
	w.db.Prepare(rules, from, common.Address{}, to, vm.ActivePrecompiles(rules), nil)
	hash := crypto.Keccak256Hash(new(big.Int).SetUint64(w.block).Bytes())
	w.db.SetTxContext(hash, 0)
	var left uint64
	if to == nil {
		r.data, _, left, r.err = evm.Create(from, data, gasLimit, amount)
	} else {
		w.db.SetNonce(from, w.db.GetNonce(from)+1, tracing.NonceChangeEoACall)
		r.data, left, r.err = evm.Call(from, *to, data, gasLimit, amount)
	}
	r.gas = gasLimit - left
	r.data = bytes.Clone(r.data)
	r.logs = w.db.GetLogs(hash, w.block, common.Hash{}, w.time)
	w.db.Finalise(true)
	return r
}

// account is the address that belongs to a name.
func account(name string) common.Address {
	return common.BytesToAddress(crypto.Keccak256([]byte("account of " + name)))
}
