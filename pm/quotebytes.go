package pm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
)

// quoteForm is the first byte of a quote, so that a later form can be recognized.
const quoteForm = 1

// Bounds of a quote, which travels in every request.
const (
	MaxQuoteModels = 16
	MaxModelID     = 256
)

var (
	errQuote       = errors.New("not a quote")
	errQuoteBounds = errors.New("a quote out of bounds")
)

// AppendBinary appends the quote in the form that an auth token has. Every quote has one
// form. The error says which bound it breaks.
func (q *Quote) AppendBinary(b []byte) ([]byte, error) {
	switch {
	case q.Price.PerUnit < 0 || q.Price.PixelsPerUnit < 0:
		return nil, fmt.Errorf("%w: a negative price, %d per %d", errQuoteBounds, q.Price.PerUnit, q.Price.PixelsPerUnit)
	case len(q.Models) > MaxQuoteModels:
		return nil, fmt.Errorf("%w: %d models, more than %d", errQuoteBounds, len(q.Models), MaxQuoteModels)
	}
	b = append(b, quoteForm)
	b = append(b, q.Sender[:]...)
	b = binary.AppendUvarint(b, uint64(q.Price.PerUnit))
	b = binary.AppendUvarint(b, uint64(q.Price.PixelsPerUnit))
	b = append(b, byte(len(q.Models)))
	for _, m := range q.Models {
		if len(m.ID) > MaxModelID || m.Capability < 0 || m.Capability > math.MaxInt32 {
			return nil, fmt.Errorf("%w: a model of capability %d whose name has %d bytes", errQuoteBounds,
				m.Capability, len(m.ID))
		}
		b = binary.AppendUvarint(b, uint64(m.Capability))
		b = binary.AppendUvarint(b, uint64(len(m.ID)))
		b = append(b, m.ID...)
	}
	return b, nil
}

// ParseQuote reads what AppendBinary wrote, and nothing else.
func ParseQuote(b []byte) (Quote, error) {
	r := quoteReader{rest: b}
	if r.byte() != quoteForm {
		return Quote{}, errQuote
	}
	var q Quote
	copy(q.Sender[:], r.bytes(len(q.Sender)))
	q.Price = Price{PerUnit: r.number(math.MaxInt64), PixelsPerUnit: r.number(math.MaxInt64)}
	n := int(r.byte())
	if n > MaxQuoteModels {
		return Quote{}, errQuote
	}
	for range n {
		m := inference.Model{Capability: capability.ID(r.number(math.MaxInt32))}
		m.ID = string(r.bytes(int(r.number(MaxModelID))))
		q.Models = append(q.Models, m)
	}
	if r.failed || len(r.rest) > 0 {
		return Quote{}, errQuote
	}
	return q, nil
}

// quoteReader reads one value after another; after a failure all are zero.
type quoteReader struct {
	rest   []byte
	failed bool
}

func (r *quoteReader) bytes(n int) []byte {
	if n > len(r.rest) {
		r.rest, r.failed = nil, true
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *quoteReader) byte() byte {
	if b := r.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

// number reads a number of at most limit in the shortest form there is.
func (r *quoteReader) number(limit uint64) int64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 || v > limit || !bytes.Equal(binary.AppendUvarint(nil, v), r.rest[:n]) {
		r.rest, r.failed = nil, true
		return 0
	}
	r.rest = r.rest[n:]
	return int64(v)
}
