package aiworkers

import (
	"errors"
	"io"
	"sync"
)

const (
	// backlogBytes bounds what came of all answers and was not taken by their gateways.
	backlogBytes = 256 << 20
	// freeBacklog is how much of each answer's backlog does not count: an answer whose gateway keeps
	// up has less.
	freeBacklog = 64 << 10
	// smallRead and largeRead are the buffers for events and for bulk data.
	smallRead, largeRead = 4 << 10, 64 << 10
)

var (
	// errBehind ends an answer whose backlog fits no more.
	errBehind = errors.New("the gateway takes its answers too slowly")
	errEnded  = errors.New("the answer was ended")
)

// backlogs is the memory for what came of answers and was not taken yet. All answers of a worker share
// one connection: bytes that stayed in it would use up its window, and stop the answers to all other
// gateways. A party with several answers holds no more than it leaves to others.
type backlogs struct {
	mu      sync.Mutex
	left    int64            // guarded by mu
	parties map[string]int64 // bytes that each party holds; guarded by mu
}

func newBacklogs(most int64) *backlogs { return &backlogs{left: most, parties: make(map[string]int64)} }

// take takes n bytes for a party's answer, which holds held bytes already, and reports whether they fit.
func (b *backlogs) take(party string, n, held int64) bool {
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

func (b *backlogs) release(party string, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left += n
	if b.parties[party] -= n; b.parties[party] <= 0 {
		delete(b.parties, party)
	}
}

// backlog is what came of one answer and was not read yet.
type backlog struct {
	memory *backlogs
	// party is whose answer it is; set before the first byte.
	party string

	mu      sync.Mutex
	changed *sync.Cond
	pieces  [][]byte // guarded by mu, as all below
	// size is the bytes of pieces, held how many of them are booked.
	size, held int64
	// err is what follows the pieces: io.EOF, or why the answer ends early; nil while more may come.
	err error
}

func newBacklog(memory *backlogs) *backlog {
	b := &backlog{memory: memory}
	b.changed = sync.NewCond(&b.mu)
	return b
}

// put appends a copy of p. It is false when the answer was ended, or has no more memory, which ends it.
func (b *backlog) put(p []byte) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return false
	}
	n := int64(len(p))
	if more := b.size + n - freeBacklog - b.held; more > 0 {
		if !b.memory.take(b.party, more, b.held) {
			b.endLocked(errBehind)
			return false
		}
		b.held += more
	}
	b.size += n
	b.pieces = append(b.pieces, append([]byte(nil), p...))
	b.changed.Broadcast()
	return true
}

// Read waits for the next bytes.
func (b *backlog) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.pieces) == 0 && b.err == nil {
		b.changed.Wait()
	}
	if len(b.pieces) == 0 {
		return 0, b.err
	}
	n := copy(p, b.pieces[0])
	if b.pieces[0] = b.pieces[0][n:]; len(b.pieces[0]) == 0 {
		b.pieces[0] = nil
		b.pieces = b.pieces[1:]
	}
	b.size -= int64(n)
	b.releaseLocked(max(0, b.size-freeBacklog))
	return n, nil
}

// finish says what follows the bytes that came.
func (b *backlog) finish(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = err
		b.changed.Broadcast()
	}
}

// drop ends the answer and forgets what came.
func (b *backlog) drop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.endLocked(errEnded)
}

func (b *backlog) endLocked(err error) {
	if b.err == nil || b.err == io.EOF {
		b.err = err
	}
	b.pieces, b.size = nil, 0
	b.releaseLocked(0)
	b.changed.Broadcast()
}

// releaseLocked releases what is booked beyond n bytes.
func (b *backlog) releaseLocked(n int64) {
	if b.held > n {
		b.memory.release(b.party, b.held-n)
		b.held = n
	}
}
