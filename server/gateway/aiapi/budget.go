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
	// unproven is what requests of strangers hold, whose keys the webhook has not judged yet,
	// and strangers the same by address. Guarded by mu.
	unproven  int64
	strangers map[string]int64
}

const (
	// freeFactor is how many times as much as is free the answers of one orchestrator may
	// hold: two thirds of the budget where it is the only one.
	freeFactor = 2
	// usualAnswer is what a single answer of an orchestrator may hold of all that is free.
	usualAnswer = 64 << 20
	// strangersPart is the part of all, one in so many, for strangers together. Of it one
	// address may have as much as is left for the others.
	strangersPart = 2
)

func newBudget(limit int64) budget {
	return budget{limit: limit, lent: make(map[string]int64), strangers: make(map[string]int64)}
}

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

// trust takes n bytes for a stranger, or refuses with the fault RequestsFull.
func (b *budget) trust(stranger string, n int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.strangers[stranger]+n > b.limit/strangersPart-b.unproven {
		return fault.New(fault.RequestsFull, "read request", "requests of keys that were not judged yet fill their part of the gateway's memory")
	}
	if err := b.takeLocked(n); err != nil {
		return err
	}
	b.unproven += n
	b.strangers[stranger] += n
	return nil
}

// prove says that n bytes are no stranger's any more; "" is none.
func (b *budget) prove(stranger string, n int64) {
	if stranger == "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unproven -= n
	if b.strangers[stranger] -= n; b.strangers[stranger] <= 0 {
		delete(b.strangers, stranger)
	}
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
