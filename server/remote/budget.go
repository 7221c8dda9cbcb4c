package remote

import (
	"errors"
	"io"
	"sync/atomic"
)

var (
	// ErrTooLarge: what is read is larger than it may be.
	ErrTooLarge = errors.New("larger than the limit")
	// ErrNoMemory: results in transit fill the memory budget.
	ErrNoMemory = errors.New("too many results at once")
)

// trustedSize is how much is allocated at once on a sender's stated length.
const trustedSize = 2 << 20

// Budget is a number of bytes that results in transit share. Callers do not wait: a result
// that does not fit is refused.
type Budget struct {
	most int64
	used atomic.Int64
}

// NewBudget makes a budget of most bytes.
func NewBudget(most int64) *Budget { return &Budget{most: most} }

// Take reports whether n more bytes fit, and books them if they do.
func (b *Budget) Take(n int64) bool {
	if b.used.Add(n) <= b.most {
		return true
	}
	b.used.Add(-n)
	return false
}

// Release returns n bytes.
func (b *Budget) Release(n int64) { b.used.Add(-n) }

// Used returns what is booked.
func (b *Budget) Used() int64 { return b.used.Load() }

// ReadAll reads r to its end, at most most bytes. hint is the length that the sender
// states, 0 or less for none. held is booked for the bytes, and the caller must release it;
// on an error nothing is booked. Errors are ErrTooLarge, ErrNoMemory and r's.
func (b *Budget) ReadAll(r io.Reader, hint, most int64) (data []byte, held int64, err error) {
	if hint > most {
		return nil, 0, ErrTooLarge
	}
	// One byte more than is expected, so that the end shows without growing.
	if hint <= 0 {
		hint = 32 << 10
	}
	size := min(hint, trustedSize) + 1
	if !b.Take(size) {
		return nil, 0, ErrNoMemory
	}
	data, held = make([]byte, 0, size), size
	for {
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > most:
			b.Release(held)
			return nil, 0, ErrTooLarge
		case err == io.EOF:
			return data, held, nil
		case err != nil:
			b.Release(held)
			return nil, 0, err
		}
		if len(data) < cap(data) {
			continue
		}
		// Old and new are both there for a moment, and both booked.
		size := min(max(2*held, min(hint+1, 4*held)), most+1)
		if !b.Take(size) {
			b.Release(held)
			return nil, 0, ErrNoMemory
		}
		data = append(make([]byte, 0, size), data...)
		b.Release(held)
		held = size
	}
}
