package http1

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// bufferSize is the read buffer of a connection in use. It is small because there may be a
// thousand slow streams; large reads bypass it.
const bufferSize = 4 << 10

// buffers are those of a Transport that no request uses now. The zero value is ready.
type buffers struct {
	// reads are for what is read from connections, heads for heads and small bodies to be
	// written, copies for bodies without WriterTo.
	reads, heads, copies sync.Pool
}

func (b *buffers) takeRead() *[bufferSize]byte {
	if r, ok := b.reads.Get().(*[bufferSize]byte); ok {
		return r
	}
	return new([bufferSize]byte)
}

func (b *buffers) takeHead() *[]byte {
	if h, ok := b.heads.Get().(*[]byte); ok {
		return h
	}
	h := make([]byte, 0, 4<<10)
	return &h
}

func (b *buffers) returnHead(h *[]byte) {
	if cap(*h) <= 2*joinSize {
		*h = (*h)[:0]
		b.heads.Put(h)
	}
}

func (b *buffers) takeCopy() *[joinSize]byte {
	if c, ok := b.copies.Get().(*[joinSize]byte); ok {
		return c
	}
	return new([joinSize]byte)
}

// conn is one connection. While a request is on it, it belongs to that request's
// goroutines; otherwise to the pool.
type conn struct {
	host target
	// raw is the socket, nc is the same or TLS on it.
	raw net.Conn
	nc  net.Conn
	tls *tls.ConnectionState
	// abort closes the socket at once, from any goroutine, without TLS's close message, which
	// could wait for a peer that does not read.
	abort func()
	peek  peeker

	buffers *buffers
	// array comes from buffers while the connection is in use; buf[pos:end] was read and not
	// consumed. buf is array, or larger for a large head.
	array    *[bufferSize]byte
	buf      []byte
	pos, end int
	// answered: a part of the answer was read.
	answered bool

	// reused: it has carried a request before.
	reused bool
	// idle fires when the connection was in the pool for too long, at expires.
	idle    *time.Timer
	expires time.Time
	pooled  bool
}

func newConn(host target, raw, nc net.Conn, b *buffers) *conn {
	c := &conn{host: host, raw: raw, nc: nc, peek: newPeeker(raw), buffers: b}
	c.abort = func() { _ = raw.Close() }
	if t, ok := nc.(*tls.Conn); ok {
		state := t.ConnectionState()
		c.tls = &state
	}
	return c
}

// takeBuffer takes a buffer for a request.
func (c *conn) takeBuffer() {
	c.array = c.buffers.takeRead()
	c.buf, c.pos, c.end, c.answered = c.array[:], 0, 0, false
}

// pastDeadline makes reads return at once.
func pastDeadline() time.Time { return time.Unix(1, 0) }

// surplus reports whether TLS has bytes after the answer, which would count as the next
// answer, or has failed. peek checks for bytes in the socket.
func (c *conn) surplus() bool {
	if c.tls == nil {
		return false
	}
	_ = c.raw.SetReadDeadline(pastDeadline())
	n, err := c.nc.Read(c.buf[:1])
	_ = c.raw.SetReadDeadline(time.Time{})
	return n > 0 || !errors.Is(err, os.ErrDeadlineExceeded)
}

// returnBuffer returns the buffer.
func (c *conn) returnBuffer() {
	if c.array != nil {
		c.buffers.reads.Put(c.array)
		c.array, c.buf, c.pos, c.end = nil, nil, 0, 0
	}
}

// buffered returns what was read and not consumed.
func (c *conn) buffered() []byte { return c.buf[c.pos:c.end] }

// fill appends to the buffer, which must not be full: see grow.
func (c *conn) fill() error {
	if c.pos == c.end {
		c.pos, c.end = 0, 0
	} else if c.end == len(c.buf) {
		c.end = copy(c.buf, c.buf[c.pos:c.end])
		c.pos = 0
	}
	n, err := c.nc.Read(c.buf[c.end:])
	c.end += n
	if n > 0 {
		c.answered = true
		return nil // the next read returns the error again
	}
	if err == nil {
		err = io.ErrNoProgress
	}
	return err
}

// grow doubles the buffer for a head that does not fit, up to most.
func (c *conn) grow(most int) error {
	if len(c.buf) >= most {
		return ErrTooLarge
	}
	larger := make([]byte, min(2*len(c.buf), most))
	c.end = copy(larger, c.buf[c.pos:c.end])
	c.buf, c.pos = larger, 0
	return nil
}

// shrink returns to the small buffer if the rest fits.
func (c *conn) shrink() {
	if len(c.buf) == bufferSize || c.end-c.pos > bufferSize {
		return
	}
	c.end = copy(c.array[:], c.buf[c.pos:c.end])
	c.buf, c.pos = c.array[:], 0
}

// readHead reads heads until one that is no interim answer. Interim ones go to interim, nil
// ignores them.
func (c *conn) readHead(mostBytes int, interim func(status int, h http.Header)) (*head, error) {
	const mostInterim = 16
	for range mostInterim {
		h, err := c.readOneHead(mostBytes)
		switch {
		case err != nil:
			return nil, err
		case h.status == 101:
			return nil, malformed("the server switches protocols without a request to do so")
		case h.status >= 200:
			c.shrink()
			return h, nil
		}
		if interim != nil {
			interim(h.status, h.header)
		}
	}
	return nil, malformed("too many interim answers")
}

func (c *conn) readOneHead(mostBytes int) (*head, error) {
	looked := 0
	for {
		if n := headLength(c.buffered(), looked); n > 0 {
			if n > mostBytes {
				return nil, ErrTooLarge
			}
			h, err := parseHead(c.buf[c.pos : c.pos+n])
			c.pos += n
			return h, err
		}
		looked = c.end - c.pos
		if looked == len(c.buf) {
			if err := c.grow(mostBytes); err != nil {
				return nil, err
			}
		}
		if err := c.fill(); err != nil {
			if !c.answered && (errors.Is(err, io.EOF) || isReset(err)) {
				return nil, errors.Join(ErrNoAnswer, err)
			}
			return nil, unexpected(err)
		}
	}
}

// unexpected is an end that comes too early.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
