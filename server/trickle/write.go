package trickle

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// serveWrite takes a request's body as a segment. Publishers connect before they have a byte, so the
// first one may take long; a segment that is closed meanwhile releases its publisher.
func serveWrite(w http.ResponseWriter, r *http.Request, c *Channel, number int64) {
	s, err := c.openForWriting(number, r.Header.Get(headerReset) != "")
	if err != nil {
		closeAfter(w, r)
		http.Error(w, textNoChannel, http.StatusNotFound)
		return
	}
	p := post{w: w, r: r, rc: http.NewResponseController(w), c: c, s: s}
	_ = p.rc.EnableFullDuplex() // an answer does not wait for the rest of the body
	_ = p.rc.SetReadDeadline(time.Time{})
	_ = p.rc.SetWriteDeadline(time.Time{})
	begun, err := p.take()
	setNumber(w, headerNumber, s.number)
	switch {
	case errors.Is(err, errClosed):
		closeAfter(w, r)
		w.Header().Set(headerClosed, terminated)
	case errors.Is(err, errTooLarge):
		closeAfter(w, r)
		http.Error(w, "Segment too large", http.StatusRequestEntityTooLarge)
	case errors.Is(err, errFull):
		closeAfter(w, r)
		http.Error(w, "No memory for the segment", http.StatusServiceUnavailable)
	case err != nil:
		closeAfter(w, r)
		w.Header().Del(headerNumber)
		http.Error(w, "Server error", http.StatusInternalServerError)
	case !begun:
		closeAfter(w, r)
		if _, closed := c.segmentClosed(s); closed {
			w.Header().Set(headerClosed, terminated)
		}
	}
}

// post is one request that writes a segment.
type post struct {
	w  http.ResponseWriter
	r  *http.Request
	rc *http.ResponseController
	c  *Channel
	s  *segment
}

// take reads the body into the segment and reports whether there was a byte for it. The segment of a
// broken body is closed, so that its readers go on; one without a byte waits for another publisher.
func (p *post) take() (begun bool, err error) {
	if closed, _ := p.c.segmentClosed(p.s); closed {
		p.c.began(p.s)
		return false, nil
	}
	var first [512]byte
	n, err := p.first(first[:])
	switch {
	case n > 0:
		defer p.c.finish(p.s)
		if err := p.c.write(p.s, first[:n]); err != nil {
			return true, err
		}
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		return true, p.rest()
	case errors.Is(err, io.EOF), errors.Is(err, errReleased):
		p.c.began(p.s)
		p.c.finish(p.s)
		return false, nil
	}
	return false, err
}

var errReleased = errors.New("the segment was closed before its first byte")

// first reads the first bytes. While there are none it sends interim answers. Most requests of an idle node wait here.
// A body is read with a deep stack, and stacks have sizes of powers of two: with this one on top of the server's the
// stack is twice as large as both are when it reads on its own.
func (p *post) first(buf []byte) (int, error) {
	w := wait{p: p, gone: make(chan struct{})}
	w.begin()
	read := make(chan firstRead)
	go func() {
		n, err := p.r.Body.Read(buf)
		read <- firstRead{n, err}
	}()
	got := <-read
	if w.end() {
		_ = p.rc.SetReadDeadline(time.Time{})
		if got.n == 0 {
			got.err = errReleased
		}
	}
	return got.n, got.err
}

// firstRead is the result of the first read of a body.
type firstRead struct {
	n   int
	err error
}

// bodyBuffer is for reading bodies.
type bodyBuffer [32 << 10]byte

// rest reads the body after its first bytes.
func (p *post) rest() error {
	buf, ok := p.c.hub.buffers.Get().(*bodyBuffer)
	if !ok {
		buf = new(bodyBuffer)
	}
	defer p.c.hub.buffers.Put(buf)
	for {
		n, err := p.r.Body.Read(buf[:])
		if n > 0 {
			if err := p.c.write(p.s, buf[:n]); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}
