package aiworkers

import (
	"errors"
	"io"
	"sync"

	"github.com/tuttinode/tutti/core/fairqueue"
)

const (
	// backlogBytes bounds what came of all answers and was not taken by their gateways.
	backlogBytes = 256 << 20
	// freeBacklog is how much of each answer's backlog does not count: an answer whose gateway keeps
	// up has less.
	freeBacklog = 64 << 10
	// leastPiece is the least that is kept in one piece.
	leastPiece = 512
	// smallRead and largeRead are the buffers for events and for bulk data.
	smallRead, largeRead = 4 << 10, 64 << 10
)

var (
	// errBehind ends an answer whose backlog fits no more.
	errBehind = errors.New("the gateway takes its answers too slowly")
	errEnded  = errors.New("the answer was ended")
)

// backlog is what came of one answer and was not read yet. All answers of a worker share one connection: bytes
// that stayed in it would use up its window, and stop the answers to all other gateways. So they are read at
// once, into memory that all answers share.
type backlog struct {
	memory *fairqueue.Budget
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

func newBacklog(memory *fairqueue.Budget) *backlog {
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
		if !b.memory.Take(b.party, more, b.held) {
			b.endLocked(errBehind)
			return false
		}
		b.held += more
	}
	b.size += n
	b.appendLocked(p)
	b.changed.Broadcast()
	return true
}

// appendLocked keeps bytes. Single ones go together, so that they take no more than they count.
func (b *backlog) appendLocked(p []byte) {
	if last := len(b.pieces) - 1; last >= 0 && len(p) <= cap(b.pieces[last])-len(b.pieces[last]) {
		b.pieces[last] = append(b.pieces[last], p...)
		return
	}
	b.pieces = append(b.pieces, append(make([]byte, 0, max(len(p), leastPiece)), p...))
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
		b.memory.Release(b.party, b.held-n)
		b.held = n
	}
}
