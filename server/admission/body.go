package admission

import (
	"errors"
	"io"

	"github.com/tuttinode/tutti/core/fault"
)

// ErrBodyTooLarge: the body is longer than the limit.
var ErrBodyTooLarge = errors.New("body is larger than the limit")

const (
	// trustedLength is how much is allocated for an announced length alone, if a BodyReader does not say.
	trustedLength = 256 << 10
	// firstBuffer is the first buffer of a body of unknown length.
	firstBuffer = 256 << 10
	// readChunk is how much is read before the reader's Sink sees it, so that its
	// work overlaps with the network's.
	readChunk = 128 << 10
)

// BodyReader says how a request's or answer's body is read into memory: once, into a buffer of the right size, with a
// limit that does not depend on the announced length.
type BodyReader struct {
	// Limit is the most that is read, in bytes.
	Limit int64
	// Size is the announced length, -1 when unknown.
	Size int64
	// Trust is the most that is allocated before the first byte arrives; 0 is 256 KiB. Unknown
	// clients get little, and more as their data arrives.
	Trust int64
	// Grow, if not nil, is called before n more bytes are allocated and may refuse with an error.
	Grow func(n int64) error
	// Sink, when not nil, sees the bytes in order as they come, to hash them.
	Sink func([]byte)
}

// Read reads r to its end. The buffer has the body's own size, or little more
// when the length was not announced. A body that is shorter than announced is
// io.ErrUnexpectedEOF, one over the limit ErrBodyTooLarge.
func (o BodyReader) Read(r io.Reader) ([]byte, error) {
	if o.Size > o.Limit {
		return nil, ErrBodyTooLarge
	}
	buf, err := o.alloc(nil, o.start())
	if err != nil {
		return nil, err
	}
	for {
		if len(buf) == cap(buf) {
			if int64(len(buf)) == o.Size {
				return buf, nil
			}
			if buf, err = o.more(r, buf); err != nil {
				if err == io.EOF {
					return buf, nil
				}
				return nil, err
			}
			continue
		}
		n, err := r.Read(buf[len(buf):min(cap(buf), len(buf)+readChunk)])
		o.sink(buf[len(buf) : len(buf)+n])
		buf = buf[:len(buf)+n]
		switch {
		case err == nil:
		case err != io.EOF:
			return nil, err
		case o.Size >= 0 && int64(len(buf)) < o.Size:
			return nil, io.ErrUnexpectedEOF
		default:
			return buf, nil
		}
	}
}

// start returns the capacity of the first buffer.
func (o BodyReader) start() int64 {
	size, trust := int64(firstBuffer), o.Trust
	if o.Size >= 0 {
		size = o.Size
	}
	if trust <= 0 {
		trust = trustedLength
	}
	return min(size, trust)
}

func (o BodyReader) sink(b []byte) {
	if o.Sink != nil && len(b) > 0 {
		o.Sink(b)
	}
}

// more enlarges a full buffer. When the length is unknown one byte is read
// first, so that a body that just fits is not copied; io.EOF says that it did.
func (o BodyReader) more(r io.Reader, buf []byte) ([]byte, error) {
	if o.Size >= 0 {
		return o.alloc(buf, min(o.Size, 2*int64(cap(buf))))
	}
	var one [1]byte
	if _, err := io.ReadFull(r, one[:]); err != nil {
		return buf, err
	}
	if int64(len(buf)) >= o.Limit {
		return nil, ErrBodyTooLarge
	}
	buf, err := o.alloc(buf, min(o.Limit, 2*int64(cap(buf))))
	if err != nil {
		return nil, err
	}
	o.sink(one[:])
	return append(buf, one[0]), nil
}

// alloc returns a buffer of the given capacity with old's content.
func (o BodyReader) alloc(old []byte, size int64) ([]byte, error) {
	if o.Grow != nil {
		if err := o.Grow(size - int64(cap(old))); err != nil {
			return nil, err
		}
	}
	return append(make([]byte, 0, size), old...), nil
}

// CheckEncoding refuses a compressed body by its Content-Encoding: it could be a thousand times as large as what
// comes.
func CheckEncoding(encoding string) error {
	if encoding == "" || encoding == "identity" {
		return nil
	}
	return fault.New(fault.RequestEncoded, "read request",
		"Content-Encoding: the gateway takes bodies that are not compressed")
}
