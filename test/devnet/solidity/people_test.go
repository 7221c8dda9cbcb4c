package solidity

import (
	"fmt"
	"math/big"
	"slices"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/holiman/uint256"
)

// Short names of the contracts that nearly every line calls.
const (
	bm = "BondingManager"
	rm = "RoundsManager"
	tb = "TicketBroker"
)

var (
	never = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1))
	zero  = new(big.Int)
	none  common.Address
)

func num(n int64) *big.Int { return big.NewInt(n) }

// tokens and ether are both on the scale of 1e18.
func tokens(n int64) *big.Int { return new(big.Int).Mul(num(n), num(1e18)) }

func milli(n int64) *big.Int { return new(big.Int).Mul(num(n), num(1e15)) }

func sum(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) }

func minus(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) }

func (w *world) give(to common.Address, wei *big.Int) {
	w.db.AddBalance(to, uint256.MustFromBig(wei), tracing.BalanceChangeUnspecified)
}

// fund gives stake tokens that the BondingManager may take.
func (w *world) fund(address common.Address, amount *big.Int) {
	w.Helper()
	w.ok(owner, "LivepeerToken", "transfer", address, amount)
	w.ok(address, "LivepeerToken", "increaseAllowance", w.at[bm], amount)
}

// bond funds an account and has it bond.
func (w *world) bond(address common.Address, amount *big.Int, to common.Address) result {
	w.Helper()
	w.fund(address, amount)
	return w.ok(address, bm, "bond", amount, to)
}

// orchestrator registers the account of a name with a bond of its own.
func (w *world) orchestrator(name string, stake int64) common.Address {
	w.Helper()
	address := account(name)
	w.bond(address, tokens(stake), address)
	return address
}

// advance moves the L1 clock.
func (w *world) advance(blocks uint64) {
	w.Helper()
	w.l1 += blocks
	w.ok(sequencer, "L1Clock", "advanceTo", new(big.Int).SetUint64(w.l1))
}

// toNextStart goes to the first block of the next round and initializes nothing.
func (w *world) toNextStart() {
	w.Helper()
	next := sum(w.num(rm, "currentRoundStartBlock"), w.num(rm, "roundLength"))
	w.advance(next.Uint64() - w.l1)
}

// nextRound begins the next round and initializes it.
func (w *world) nextRound() {
	w.Helper()
	w.toNextStart()
	w.ok(owner, rm, "initializeRound")
}

func (w *world) rounds(n int) {
	w.Helper()
	for range n {
		w.nextRound()
	}
}

func (w *world) round() *big.Int { return w.num(rm, "currentRound") }

// lock goes into the part of the round in which commissions cannot change.
func (w *world) lock() {
	w.Helper()
	start, length := w.num(rm, "currentRoundStartBlock").Uint64(), w.num(rm, "roundLength").Uint64()
	w.advance(start + length - length/10 - w.l1)
}

// pool reads the list from the head.
func (w *world) pool() (list []common.Address) {
	w.Helper()
	for at := w.addr(bm, "getFirstTranscoderInPool"); at != none; at = w.addr(bm, "getNextTranscoderInPool", at) {
		list = append(list, at)
	}
	if size := w.num(bm, "getTranscoderPoolSize"); size.Int64() != int64(len(list)) {
		w.Errorf("the pool has %d entries and says %s", len(list), size)
	}
	return list
}

func (w *world) inPool(address common.Address) bool { return slices.Contains(w.pool(), address) }

func (w *world) active(address common.Address) bool { return w.flag(bm, "isActiveTranscoder", address) }

func (w *world) stake(address common.Address) *big.Int {
	return w.num(bm, "transcoderTotalStake", address)
}

// wantOrder says the order of the members from the head.
func (w *world) wantOrder(want ...common.Address) {
	w.Helper()
	if got := w.pool(); !slices.Equal(got, want) {
		w.Errorf("the pool is %v, want %v", got, want)
	}
}

// member is the orchestrator of a place in the full pool: member(0) has the least
// stake, 1000, and each next one 10 more.
func member(i int) common.Address { return account(fmt.Sprintf("member %d", i)) }

// fullPool is a world whose pool of a hundred is full and active, in the second round.
var fullPool = sync.OnceValues(func() (*world, error) {
	g, err := ground()
	if err != nil {
		return nil, err
	}
	w := g.fork(panics{})
	w.ok(owner, rm, "initializeRound")
	for i := range 100 {
		w.orchestrator(fmt.Sprintf("member %d", i), 1000+10*int64(i))
	}
	w.nextRound()
	return w, nil
})

// panics is the testing.TB of states that several tests share: their making must
// not fail.
type panics struct{ testing.TB }

func (panics) Helper() {}

func (panics) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func (panics) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

func (panics) Errorf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// newFullPool is a copy of the world with the full pool.
func newFullPool(t testing.TB) *world {
	t.Helper()
	c, err := fullPool()
	if err != nil {
		t.Fatal(err)
	}
	return c.fork(t)
}
