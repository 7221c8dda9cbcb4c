package aiapi

import (
	"sync"

	"github.com/tuttinode/tutti/core/fault"
)

// budget bounds the memory of all request bodies and of all answers that are read whole. The share
// that answers of one orchestrator hold while they arrive is bounded too, so that a slow
// orchestrator leaves memory to others.
type budget struct {
	limit int64

	mu   sync.Mutex
	used int64 // guarded by mu
	// answersInProgress is the memory of each orchestrator's unfinished answers. Guarded by mu.
	answersInProgress map[string]int64
	// unverified is the memory of requests whose keys the webhook has not checked yet; unverifiedBy
	// is the same by client address. Guarded by mu.
	unverified   int64
	unverifiedBy map[string]int64
}

const (
	// freeFactor bounds the unfinished answers of one orchestrator to this multiple of the free
	// memory: two thirds of the budget where it is the only one.
	freeFactor = 2
	// usualAnswer is how much a single unfinished answer of an orchestrator may hold whatever is
	// free.
	usualAnswer = 64 << 20
	// unverifiedPart bounds all unverified requests to this fraction (one in so many) of the
	// budget. One address may use at most as much of it as is left for the others.
	unverifiedPart = 2
)

func newBudget(limit int64) budget {
	return budget{limit: limit, answersInProgress: make(map[string]int64), unverifiedBy: make(map[string]int64)}
}

// take takes n bytes. It returns the fault RequestsFull when they are not free.
func (b *budget) take(n int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.takeLocked(n)
}

func (b *budget) takeLocked(n int64) error {
	if b.used+n > b.limit {
		return fault.New(fault.RequestsFull, "read request", "the requests in the gateway fill its memory limit")
	}
	b.used += n
	return nil
}

// takeUnverified takes n bytes for a request whose key is not checked yet. It returns the fault
// RequestsFull when its share is used up.
func (b *budget) takeUnverified(address string, n int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.unverifiedBy[address]+n > b.limit/unverifiedPart-b.unverified {
		return fault.New(fault.RequestsFull, "read request",
			"requests with keys that are not checked yet fill their share of the gateway's memory")
	}
	if err := b.takeLocked(n); err != nil {
		return err
	}
	b.unverified += n
	b.unverifiedBy[address] += n
	return nil
}

// verified moves n bytes of an address out of the unverified share; "" does nothing.
func (b *budget) verified(address string, n int64) {
	if address == "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unverified -= n
	if b.unverifiedBy[address] -= n; b.unverifiedBy[address] <= 0 {
		delete(b.unverifiedBy, address)
	}
}

// takeForAnswer takes n bytes for an answer that already holds has bytes. Errors are the faults
// RequestsFull and OrchestratorOverShare.
func (b *budget) takeForAnswer(orchestrator string, n, has int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	alone := b.answersInProgress[orchestrator] == has && has+n <= usualAnswer
	if !alone && b.answersInProgress[orchestrator]+n > freeFactor*(b.limit-b.used) {
		return fault.New(fault.OrchestratorOverShare, "use memory for an orchestrator",
			"the answers of one orchestrator fill its share of the gateway's memory")
	}
	if err := b.takeLocked(n); err != nil {
		return err
	}
	b.answersInProgress[orchestrator] += n
	return nil
}

// answerRead records that an answer with n bytes was read. The bytes stay taken.
func (b *budget) answerRead(orchestrator string, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.answersInProgress[orchestrator] -= n; b.answersInProgress[orchestrator] <= 0 {
		delete(b.answersInProgress, orchestrator)
	}
}

// release gives n bytes back.
func (b *budget) release(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
}
