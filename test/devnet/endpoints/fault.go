package endpoints

import (
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/tuttinode/tutti/test/devnet/control"
)

// faults are an endpoint's.
type faults struct {
	mu    sync.Mutex
	list  []*active
	calls map[string]uint64
	hits  map[control.Kind]uint64
}

// active is a fault with what is left of it.
type active struct {
	control.Fault
	left uint64
	dice *rand.Rand
}

// set replaces all faults.
func (f *faults) set(list []control.Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = nil
	for _, one := range list {
		if one.Kind != control.None {
			f.list = append(f.list, &active{Fault: one, left: one.Times, dice: rand.New(rand.NewPCG(one.Seed, 0))})
		}
	}
}

// count notes a request.
func (f *faults) count(method string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.calls == nil {
		f.calls = make(map[string]uint64)
	}
	f.calls[method]++
}

// stats returns the counts so far.
func (f *faults) stats() control.Stats {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := control.Stats{Calls: make(map[string]uint64), Faults: make(map[control.Kind]uint64)}
	for method, n := range f.calls {
		out.Calls[method] = n
	}
	for kind, n := range f.hits {
		out.Faults[kind] = n
	}
	return out
}

// happens finds a fault of one of the kinds that meets one of the methods now,
// and counts it.
func (f *faults) happens(methods []string, of ...control.Kind) (control.Fault, bool) {
	return f.happensIf(methods, of, func(control.Fault) bool { return true })
}

// happensIf is happens for the faults that meet a condition.
func (f *faults) happensIf(methods []string, of []control.Kind, holds func(control.Fault) bool) (control.Fault, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, a := range f.list {
		if !slices.Contains(of, a.Kind) || !slices.ContainsFunc(methods, a.concerns) || a.Times > 0 && a.left == 0 ||
			!holds(a.Fault) {
			continue
		}
		if a.Probability > 0 && a.dice.Float64() >= a.Probability {
			continue
		}
		if a.Times > 0 {
			a.left--
		}
		if f.hits == nil {
			f.hits = make(map[control.Kind]uint64)
		}
		f.hits[a.Kind]++
		return a.Fault, true
	}
	return control.Fault{}, false
}

// stopped reports whether the endpoint is not to listen.
func (f *faults) stopped() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.ContainsFunc(f.list, func(a *active) bool { return a.Kind == control.Stop })
}

// lag returns how many blocks the endpoint is behind for a method.
func (f *faults) lag(method string) uint64 {
	fault, _ := f.happens([]string{method}, control.Lag)
	return fault.Blocks
}

func (a *active) concerns(method string) bool {
	return len(a.Methods) == 0 || slices.ContainsFunc(a.Methods, func(m string) bool {
		return m == method ||
			m == group(method)
	})
}

// group returns what a method belongs to.
func group(method string) string {
	switch method {
	case "eth_getLogs":
		return "logs"
	case "eth_sendRawTransaction":
		return "send"
	case "eth_getTransactionReceipt":
		return "receipt"
	}
	if permitted(method) {
		return "read"
	}
	return "" // the upgrade to a websocket is in no group
}
