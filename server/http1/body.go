package http1

import (
	"context"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
)

// directRead is from where a read goes past the buffer.
const directRead = 512

// errClosed is a read after Close.
var errClosed = http.ErrBodyReadAfterClose

// body is an answer's body. One goroutine reads; any may close.
type body struct {
	rt     *roundTrip
	closed atomic.Bool

	ownerMu sync.Mutex // guards over
	// finished: the connection was released and must not be touched.
	finished bool

	mu sync.Mutex // held while reading; guards what follows
	// left is the rest of a body of known length; -1 for a body that ends with the
	// connection.
	left   int64
	chunks *chunks
	err    error
}

// Read returns what has arrived. The last bytes may come with io.EOF.
func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed.Load():
		return 0, errClosed
	case b.err != nil:
		return 0, b.err
	case len(p) == 0:
		return 0, nil
	}
	n, err := b.read(p)
	if err != nil {
		b.err = b.end(err)
	}
	return n, b.err
}

func (b *body) read(p []byte) (n int, err error) {
	c := b.rt.c
	if b.chunks != nil {
		return b.chunks.read(c, p)
	}
	if b.left >= 0 {
		p = p[:min(int64(len(p)), b.left)]
	}
	if c.pos == c.end && len(p) >= directRead {
		n, err = c.nc.Read(p)
	} else {
		if c.pos == c.end {
			err = c.fill()
		}
		n = copy(p, c.buffered())
		c.pos += n
	}
	if b.left < 0 {
		return n, err
	}
	if b.left -= int64(n); b.left == 0 {
		return n, io.EOF
	}
	return n, unexpected(err)
}

// end releases the connection, for reuse if the answer is complete; it returns the error of
// later Reads.
func (b *body) end(err error) error {
	if err == io.EOF {
		b.finish(b.left >= 0 || b.chunks != nil)
		return err
	}
	if b.closed.Load() {
		err = errClosed
	} else if cause := b.rt.ctx.Err(); cause != nil {
		err = cause
	}
	b.finish(false)
	return err
}

// finish ends the round trip once; the caller holds mu.
func (b *body) finish(whole bool) {
	b.ownerMu.Lock()
	first := !b.finished
	b.finished = true
	b.ownerMu.Unlock()
	if first {
		b.rt.finish(whole)
	}
}

// abort closes the connection unless it was released: it may already carry another request.
func (b *body) abort() {
	b.ownerMu.Lock()
	defer b.ownerMu.Unlock()
	if !b.finished {
		b.rt.c.abort()
	}
}

// Close discards the answer. Unless it is complete, the connection is closed at once, even
// during a Read, so that the server notices it.
func (b *body) Close() error {
	if b.closed.Swap(true) {
		return nil
	}
	if !b.mu.TryLock() {
		b.abort() // the Read that holds the lock finishes
		return nil
	}
	defer b.mu.Unlock()
	if b.err == nil {
		b.finish(b.arrived())
	}
	return nil
}

// arrived consumes the buffer and reports whether the body is complete.
func (b *body) arrived() bool {
	c := b.rt.c
	if b.chunks == nil {
		if b.left < 0 || b.left > int64(c.end-c.pos) {
			return false
		}
		c.pos += int(b.left)
		return true
	}
	var sink [512]byte
	for {
		n, err := b.chunks.step(c, sink[:])
		if err != nil || b.chunks.state == chunksDone {
			return err == nil
		}
		if n == 0 {
			return false
		}
	}
}

// roundTrip is one request and its answer on a connection.
type roundTrip struct {
	t   *Transport
	c   *conn
	ctx context.Context
	// stop ends the watch of ctx; false means that it has fired.
	stop func() bool
	head *head
	// dirty: the request was not written completely.
	dirty bool
}

// finish ends the watch and keeps or closes the connection.
func (x *roundTrip) finish(whole bool) {
	quiet := x.stop == nil || x.stop()
	c := x.c
	keep := whole && quiet && !x.dirty && !x.head.close && c.pos == c.end && !c.surplus()
	c.returnBuffer()
	if !keep {
		c.abort()
		return
	}
	announced, ok := x.head.idleFor()
	x.t.pool.put(c, announced, ok)
}

// preferContext returns the context's error, else err: the context's end may be its cause.
func (x *roundTrip) preferContext(err error) error {
	if cause := x.ctx.Err(); cause != nil {
		return cause
	}
	return err
}
