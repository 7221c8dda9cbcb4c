package trickle

import (
	"errors"
	"sync"
	"time"
)

// Numbers of segments that stand for others.
const (
	nextNumber = -1 // the one after the last one that began
	lastNumber = -2 // the last one that began
	// maxNumber bounds numbers from outside.
	maxNumber = 1 << 53
)

var (
	errNotKept  = errors.New("the segment is not kept, or too far ahead")
	errTooLarge = errors.New("the segment is too large")
	errFull     = errors.New("the channels fill the memory set aside for them")
	errClosed   = errors.New("the channel is closed")
	errReaders  = errors.New("too many requests read the channel")
	errDropped  = errors.New("the reader lagged too far behind")
)

// Channel is a sequence of segments with one publisher at a time and any number of subscribers. Safe
// for concurrent use.
type Channel struct {
	name, mime string
	// owner is whose channel it is: one's channels count together.
	owner  string
	limits Limits
	hub    *Hub
	now    func() time.Time
	// done is closed when the channel is.
	done chan struct{}

	mu sync.Mutex
	// ring holds segment n at n mod ringSize.
	ring [ringSize]*segment
	// next is the number above the segment that began last.
	next    int64
	bytes   int64
	readers int
	// startedAt is when the last segment began, or the channel was made.
	startedAt time.Time
	closed    bool
}

// Name is the channel's name, a credential.
func (c *Channel) Name() string { return c.name }

// MIME is the type of the channel's data.
func (c *Channel) MIME() string { return c.mime }

// Next is the number above the segment that began last.
func (c *Channel) Next() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.next
}

// Put writes a whole segment at the next number. The error says that the channel is closed or full.
func (c *Channel) Put(data []byte) error {
	s, err := c.openForWriting(nextNumber, false)
	if err != nil {
		return err
	}
	defer c.finish(s)
	return c.write(s, data)
}

// openForWriting returns the segment of a number, made if it is not there. It may be closed already.
// reset closes all open segments with a lower number.
func (c *Channel) openForWriting(number int64, reset bool) (*segment, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errClosed
	}
	if number == nextNumber {
		number = c.next
	}
	s := c.atLocked(number)
	if s == nil {
		s = c.makeLocked(number)
	}
	if reset {
		for _, other := range c.ring {
			if other != nil && other.number < number {
				other.close()
			}
		}
	}
	return s, nil
}

// openForReading returns the segment of a number, and the next number at this time. Only the next
// segment, and number 1 while there is none, may be waited for.
func (c *Channel) openForReading(number int64) (s *segment, asked, next int64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch number {
	case nextNumber:
		number = c.next
	case lastNumber:
		number = max(0, c.next-1)
	}
	if c.closed {
		return nil, number, c.next, errClosed
	}
	if s = c.atLocked(number); s == nil && (number == c.next || c.next == 0 && number == 1) {
		s = c.makeLocked(number)
	}
	switch {
	case s == nil:
		return nil, number, c.next, errNotKept
	case c.readers >= c.limits.Readers:
		return nil, number, c.next, errReaders
	}
	c.readers++
	return s, number, c.next, nil
}

func (c *Channel) leave() {
	c.mu.Lock()
	c.readers--
	c.mu.Unlock()
}

// atLocked is the kept segment of a number, or nil.
func (c *Channel) atLocked(number int64) *segment {
	if s := c.ring[number%ringSize]; s != nil && s.number == number {
		return s
	}
	return nil
}

// makeLocked puts a new segment into the ring, in the place of an older one.
func (c *Channel) makeLocked(number int64) *segment {
	at := &c.ring[number%ringSize]
	if *at != nil {
		c.dropLocked(*at)
	}
	*at = newSegment(number)
	return *at
}

func (c *Channel) dropLocked(s *segment) {
	c.countLocked(-s.size)
	s.drop()
}

func (c *Channel) countLocked(n int64) {
	c.bytes += n
	c.hub.bytes.Add(n)
}

// began records that a segment began: with its first byte, or without any.
func (c *Channel) began(s *segment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next, c.startedAt = s.number+1, c.now()
}

// write begins a segment if this is its first byte, and appends to it. Bytes for a segment that is no
// longer kept are dropped. A segment that gets too large is closed.
func (c *Channel) write(s *segment, p []byte) error {
	c.hub.spare(c, int64(len(p)))
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.size == 0 && !s.dropped {
		c.next, c.startedAt = s.number+1, c.now()
	}
	n := int64(len(p))
	switch {
	case c.closed:
		return errClosed
	case s.dropped:
		return nil
	case s.size+n > c.limits.SegmentBytes:
		s.close()
		return errTooLarge
	}
	for c.bytes+n > c.limits.ChannelBytes && c.dropOldestLocked(s) {
	}
	if c.bytes+n > c.limits.ChannelBytes || !c.hub.reserve(n) {
		s.close()
		return errFull
	}
	c.bytes += n
	s.append(p)
	return nil
}

// dropOldestLocked drops the kept segment with the lowest number, but never spare, and reports whether
// there was one with bytes.
func (c *Channel) dropOldestLocked(spare *segment) bool {
	oldest := -1
	for i, s := range c.ring {
		if s != nil && s != spare && s.size > 0 && (oldest < 0 || s.number < c.ring[oldest].number) {
			oldest = i
		}
	}
	if oldest < 0 {
		return false
	}
	c.dropLocked(c.ring[oldest])
	c.ring[oldest] = nil
	return true
}

// kept is the size of what the channel keeps.
func (c *Channel) kept() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}

// dropOldest drops the kept segment with the lowest number, and reports whether there was one.
func (c *Channel) dropOldest() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.closed && c.dropOldestLocked(nil) // a closed one does not count any more
}

// finish closes a segment.
func (c *Channel) finish(s *segment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.close()
}

// closeSegment closes the kept segment of a number and reports whether there is one.
func (c *Channel) closeSegment(number int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.atLocked(number)
	if s != nil {
		s.close()
	}
	return s != nil
}

// segmentClosed reports whether a segment is closed, channelClosed whether its channel is.
func (c *Channel) segmentClosed(s *segment) (segmentClosed, channelClosed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return s.closed, c.closed
}

// read returns what a segment has after a position. When that is nothing, grown is closed at the next
// change, or nil at the segment's end. The error says that its bytes are not kept any more.
func (c *Channel) read(s *segment, at *position) (parts [][]byte, grown <-chan struct{}, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	parts = s.after(at)
	switch {
	case len(parts) > 0:
		return parts, nil, nil
	case s.dropped && at.bytes < s.size:
		return nil, nil, errDropped
	case s.closed:
		return nil, nil, nil
	}
	return nil, s.change(), nil
}

// close ends all requests. It reports whether the channel was open.
func (c *Channel) close() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.closed = true
	close(c.done)
	for _, s := range c.ring {
		if s != nil {
			s.close()
		}
	}
	c.hub.bytes.Add(-c.bytes)
	c.bytes = 0
	return true
}

// StartedAt is when the last segment began, or the channel was made.
func (c *Channel) StartedAt() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.startedAt
}
