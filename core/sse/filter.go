package sse

import "io"

// Filter rewrites a stream as it passes. Feed appends to dst what may be passed
// on after p, and End what was still held back when the stream ended; broken
// says that it ended before it should. Both return dst.
type Filter interface {
	Feed(dst, p []byte) []byte
	End(dst []byte, broken bool) []byte
}

// ender is a Filter that knows when nothing will follow, whatever its source still sends.
type ender interface{ Ended() bool }

// readSize is how much a Reader asks its source for at once.
const readSize = 16 << 10

// Reader reads a stream through a filter. Like its source it returns what there
// is, without waiting for more than that takes. It ends with its filter, so that a server
// that keeps its connection open after the last event holds back no reader.
type Reader struct {
	src    io.ReadCloser
	filter Filter
	in     []byte
	out    []byte
	rest   []byte
	err    error
}

// NewReader reads src through f. Closing it closes src.
func NewReader(src io.ReadCloser, f Filter) *Reader {
	return &Reader{src: src, filter: f, in: make([]byte, readSize)}
}

// Read returns what has arrived and may be passed on.
func (r *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for len(r.rest) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		n, err := r.src.Read(r.in)
		r.out = r.filter.Feed(r.out[:0], r.in[:n])
		if err != nil {
			r.err = err
			r.out = r.filter.End(r.out, err != io.EOF)
		} else if f, ok := r.filter.(ender); ok && f.Ended() {
			r.err = io.EOF
		}
		r.rest = r.out
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Close closes the source.
func (r *Reader) Close() error { return r.src.Close() }
