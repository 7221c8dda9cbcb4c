package aiapi

import (
	"sync"

	"github.com/tuttinode/tutti/core/fault"
)

// budget bounds the memory of all requests' bodies together, and of the answers that are
// read whole. What the answers of one orchestrator hold while they come is bounded besides,
// so that a slow one leaves memory to others.
type budget struct {
	limit int64

	mu   sync.Mutex
	used int64 // guarded by mu
	// lent is what the answers of each orchestrator hold that are not there yet. Guarded by
	// mu.
	lent map[string]int64
}

const (
	// freeFactor is how many times as much as is free the answers of one orchestrator may
	// hold: two thirds of the budget where it is the only one.
	freeFactor = 2
	// usualAnswer is what a single answer of an orchestrator may hold of all that is free.
	usualAnswer = 64 << 20
)

func newBudget(limit int64) budget { return budget{limit: limit, lent: make(map[string]int64)} }

// take takes n bytes, or refuses with the fault RequestsFull.
func (b *budget) take(n int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.takeLocked(n)
}

func (b *budget) takeLocked(n int64) error {
	if b.used+n > b.limit {
		return fault.New(fault.RequestsFull, "read request", "the gateway holds as many requests as it has memory for")
	}
	b.used += n
	return nil
}

// lend takes n bytes for an answer that has some already. It refuses with the faults
// RequestsFull and OrchestratorOverShare.
func (b *budget) lend(orchestrator string, n, has int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	alone := b.lent[orchestrator] == has && has+n <= usualAnswer
	if !alone && b.lent[orchestrator]+n > freeFactor*(b.limit-b.used) {
		return fault.New(fault.OrchestratorOverShare, "use memory for an orchestrator",
			"the answers of one orchestrator fill its share of the gateway's memory")
	}
	if err := b.takeLocked(n); err != nil {
		return err
	}
	b.lent[orchestrator] += n
	return nil
}

// endLoan says that an answer with n bytes is there. The bytes stay taken.
func (b *budget) endLoan(orchestrator string, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lent[orchestrator] -= n; b.lent[orchestrator] <= 0 {
		delete(b.lent, orchestrator)
	}
}

// give gives n bytes back.
func (b *budget) give(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
}
