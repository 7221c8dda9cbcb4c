package trickle

// Sizes of the blocks that hold a segment's bytes: messages are short, media is not.
const (
	firstBlock = 1 << 10
	maxBlock   = 64 << 10
)

// segment is one numbered part of a channel. The channel's mu guards it. Bytes are appended to blocks
// and never changed, so readers use what they have seen without the lock.
type segment struct {
	number int64
	blocks [][]byte
	size   int64
	// waiting are publishers without a first byte, which the segment's end releases.
	waiting []*wait
	// grown is closed at the next change; nil while no reader waits.
	grown  chan struct{}
	closed bool
	// dropped: it is not kept any more. size is then what it had.
	dropped bool
}

func newSegment(number int64) *segment { return &segment{number: number} }

// append copies bytes into the segment.
func (s *segment) append(p []byte) {
	s.size += int64(len(p))
	for len(p) > 0 {
		last := len(s.blocks) - 1
		if last < 0 || len(s.blocks[last]) == cap(s.blocks[last]) {
			s.blocks = append(s.blocks, make([]byte, 0, s.nextBlock(len(p))))
			last++
		}
		b := s.blocks[last]
		n := min(len(p), cap(b)-len(b))
		s.blocks[last] = append(b, p[:n]...)
		p = p[n:]
	}
	s.wake()
}

// nextBlock is the size of the next block, for n bytes or more.
func (s *segment) nextBlock(n int) int {
	if last := len(s.blocks) - 1; last >= 0 {
		n = max(n, 2*cap(s.blocks[last]))
	}
	return min(maxBlock, max(firstBlock, n))
}

func (s *segment) close() {
	if !s.closed {
		s.closed = true
		for _, w := range s.waiting {
			w.release()
		}
		s.waiting = nil
	}
	s.wake()
}

// drop closes the segment and forgets its bytes.
func (s *segment) drop() {
	s.blocks, s.dropped = nil, true
	s.close()
}

func (s *segment) wake() {
	if s.grown != nil {
		close(s.grown)
		s.grown = nil
	}
}

// change is closed at the next change.
func (s *segment) change() <-chan struct{} {
	if s.grown == nil {
		s.grown = make(chan struct{})
	}
	return s.grown
}

// position is how far a reader has come in a segment: whole blocks and bytes of the next one, and all
// bytes so far.
type position struct {
	block, offset int
	bytes         int64
}

// maxParts bounds the blocks that a reader holds at once: a slow one keeps them while it sends them.
const maxParts = 4

// after returns what follows a position, in order, and moves the position behind it.
func (s *segment) after(at *position) [][]byte {
	var parts [][]byte
	for i := at.block; i < len(s.blocks) && len(parts) < maxParts; i++ {
		if b := s.blocks[i]; at.offset < len(b) {
			parts = append(parts, b[at.offset:len(b):len(b)])
			at.bytes += int64(len(b) - at.offset)
			at.offset = len(b)
		}
		if i == len(s.blocks)-1 {
			break
		}
		at.block, at.offset = i+1, 0
	}
	return parts
}
