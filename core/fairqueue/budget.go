package fairqueue

import "sync"

// Budget is memory in bytes that parties share. A party with several requests holds no more than it leaves
// to the others. Nothing waits for it: requests that wait for each other while they hold memory would all
// time out. Its methods may be called concurrently.
type Budget struct {
	mu      sync.Mutex
	left    int64            // guarded by mu
	parties map[string]int64 // bytes that each party holds; guarded by mu
}

// NewBudget makes a budget of size bytes.
func NewBudget(size int64) *Budget { return &Budget{left: size, parties: make(map[string]int64)} }

// Take takes n bytes for a party's request that holds held bytes already, and reports whether they fit.
func (b *Budget) Take(party string, n, held int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	has := b.parties[party]
	if n > b.left || has > held && has+n > b.left-n {
		return false
	}
	b.left -= n
	b.parties[party] = has + n
	return true
}

// Release returns n bytes of a party.
func (b *Budget) Release(party string, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left += n
	if b.parties[party] -= n; b.parties[party] <= 0 {
		delete(b.parties, party)
	}
}
