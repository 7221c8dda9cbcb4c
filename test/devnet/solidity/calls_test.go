package solidity

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
)

func (w *world) pack(contract, method string, args []any) []byte {
	w.Helper()
	data, err := w.abis[contract].Pack(method, args...)
	if err != nil {
		w.Fatalf("%s.%s: %v", contract, method, err)
	}
	return data
}

// try sends a transaction that may be reverted.
func (w *world) try(from common.Address, contract, method string, args ...any) result {
	w.Helper()
	to := w.at[contract]
	return w.transact(from, &to, w.pack(contract, method, args), nil)
}

// ok sends a transaction that must not be reverted.
func (w *world) ok(from common.Address, contract, method string, args ...any) result {
	w.Helper()
	r := w.try(from, contract, method, args...)
	if r.err != nil {
		w.Fatalf("%s.%s: %s", contract, method, r.reason())
	}
	return r
}

// pay is ok with ETH, which the sender is given first.
func (w *world) pay(from common.Address, wei *big.Int, contract, method string, args ...any) result {
	w.Helper()
	w.give(from, wei)
	to := w.at[contract]
	r := w.transact(from, &to, w.pack(contract, method, args), wei)
	if r.err != nil {
		w.Fatalf("%s.%s: %s", contract, method, r.reason())
	}
	return r
}

// reverts sends a transaction that must be reverted with the reason.
func (w *world) reverts(reason string, from common.Address, contract, method string, args ...any) {
	w.Helper()
	if got := w.try(from, contract, method, args...).reason(); got != reason {
		w.Fatalf("%s.%s: got %q, want %q", contract, method, got, reason)
	}
}

// view calls without a transaction.
func (w *world) view(contract, method string, args ...any) []any {
	w.Helper()
	out, err := w.abis[contract].Unpack(method, w.mustCall(contract, method, args).data)
	if err != nil {
		w.Fatalf("%s.%s: %v", contract, method, err)
	}
	return out
}

func (w *world) mustCall(contract, method string, args []any) result {
	w.Helper()
	r := w.call(contract, method, args...)
	if r.err != nil {
		w.Fatalf("%s.%s: %s", contract, method, r.reason())
	}
	return r
}

func (w *world) call(contract, method string, args ...any) (r result) {
	w.Helper()
	snapshot := w.db.Snapshot()
	r.data, _, r.err = w.evm(owner).StaticCall(owner, w.at[contract], w.pack(contract, method, args), gasLimit)
	w.db.RevertToSnapshot(snapshot)
	return r
}

func one[T any](w *world, contract, method string, args ...any) T {
	w.Helper()
	v, ok := w.view(contract, method, args...)[0].(T)
	if !ok {
		w.Fatalf("%s.%s gives no %T", contract, method, v)
	}
	return v
}

func (w *world) num(contract, method string, args ...any) *big.Int {
	w.Helper()
	return one[*big.Int](w, contract, method, args...)
}

func (w *world) flag(contract, method string, args ...any) bool {
	w.Helper()
	return one[bool](w, contract, method, args...)
}

func (w *world) addr(contract, method string, args ...any) common.Address {
	w.Helper()
	return one[common.Address](w, contract, method, args...)
}

// field is one of several results, by its name.
func (w *world) field(contract, method, name string, args ...any) *big.Int {
	w.Helper()
	for i, out := range w.abis[contract].Methods[method].Outputs {
		if out.Name == name {
			v, ok := w.view(contract, method, args...)[i].(*big.Int)
			if !ok {
				w.Fatalf("%s of %s is no number", name, method)
			}
			return v
		}
	}
	w.Fatalf("%s has no result %q", method, name)
	return nil
}

// events counts the logs of one kind.
func (w *world) events(r result, contract, event string) int {
	n := 0
	for _, l := range r.logs {
		if l.Address == w.at[contract] && l.Topics[0] == w.abis[contract].Events[event].ID {
			n++
		}
	}
	return n
}

// event gives the values of the only log of its kind, by name.
func (w *world) event(r result, contract, event string) map[string]any {
	w.Helper()
	if n := w.events(r, contract, event); n != 1 {
		w.Fatalf("%d events %s, want one", n, event)
	}
	values := make(map[string]any)
	for _, l := range r.logs {
		if l.Topics[0] != w.abis[contract].Events[event].ID {
			continue
		}
		if err := w.abis[contract].UnpackIntoMap(values, event, l.Data); err != nil {
			w.Fatal(err)
		}
	}
	return values
}

func (w *world) want(what string, got, want *big.Int) {
	w.Helper()
	if got.Cmp(want) != 0 {
		w.Errorf("%s is %s, want %s", what, got, want)
	}
}

func (w *world) wantTrue(what string, got bool) {
	w.Helper()
	if !got {
		w.Errorf("%s: is not so", what)
	}
}

func (w *world) wantFalse(what string, got bool) {
	w.Helper()
	if got {
		w.Errorf("%s: is so", what)
	}
}
