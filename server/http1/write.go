package http1

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"
)

const (
	// joinSize is the size up to which head and body are copied into one write; longer bodies
	// are written in place.
	joinSize = 16 << 10
	// pieceSize is written between two checks of the time and of the server's answer.
	pieceSize = 1 << 20
	// lookEvery is how long a write may block before such a check.
	lookEvery = 200 * time.Millisecond
)

// errAnswered ends the write of a body because the server has answered.
var errAnswered = errors.New("the server answered before it had the whole request")

// bodyWriter writes a request: the head with the body's first bytes, the body with its length
// checked or in chunks. It is an io.Writer, so that bodies with WriterTo are not copied.
type bodyWriter struct {
	c       *conn
	timeout time.Duration
	// pending is part of the next write: the head, or a chunk's frame.
	pending *[]byte
	// left is the rest of a body of known length, -1 for chunks.
	left int64
	// sent is the number of body bytes written.
	sent int64
	err  error
}

// errBody is a request that cannot be sent: its head is invalid, its body has another length
// than announced, or cannot be read.
type errBody struct{ err error }

func (e *errBody) Error() string { return e.err.Error() }
func (e *errBody) Unwrap() error { return e.err }

// writeRequest writes head and body. An *errBody is the caller's mistake.
func (c *conn) writeRequest(r *http.Request, body io.Reader, timeout time.Duration) error {
	scratch := c.buffers.takeHead()
	defer c.buffers.returnHead(scratch)
	head, err := appendHead(*scratch, r)
	*scratch = head
	if err != nil {
		return &errBody{err}
	}
	length := bodyLength(r)
	w := &bodyWriter{c: c, timeout: timeout, pending: scratch, left: length}
	if length == 0 {
		return w.flush(nil)
	}
	if err := w.copy(body); err != nil {
		return err
	}
	switch {
	case length < 0:
		*w.pending = append(*w.pending, "0\r\n\r\n"...)
	case w.left > 0:
		return &errBody{unsendable("its body is shorter than its Content-Length")}
	}
	if len(*w.pending) > 0 {
		return w.flush(nil)
	}
	return nil
}

// copy moves the body through Write.
func (w *bodyWriter) copy(body io.Reader) error {
	buffer := w.c.buffers.takeCopy()
	defer w.c.buffers.copies.Put(buffer)
	_, err := io.CopyBuffer(w, body, buffer[:])
	switch {
	case w.err != nil:
		return w.err
	case err != nil:
		return &errBody{fmt.Errorf("read the request's body: %w", err)}
	}
	return nil
}

// Write writes a part of the body.
func (w *bodyWriter) Write(p []byte) (int, error) {
	if w.err != nil || len(p) == 0 {
		return 0, w.err
	}
	if w.left >= 0 {
		if int64(len(p)) > w.left {
			w.err = &errBody{unsendable("its body is longer than its Content-Length")}
			return 0, w.err
		}
		w.left -= int64(len(p))
		w.err = w.flush(p)
	} else {
		*w.pending = append(strconv.AppendInt(*w.pending, int64(len(p)), 16), "\r\n"...)
		w.err = w.flush(p)
		*w.pending = append(*w.pending, "\r\n"...)
	}
	if w.err != nil {
		return 0, w.err
	}
	w.sent += int64(len(p))
	return len(p), nil
}

// flush writes pending and p, in one system call if possible.
func (w *bodyWriter) flush(p []byte) error {
	pending := *w.pending
	*w.pending = pending[:0]
	if len(pending)+len(p) <= joinSize {
		joined := append(pending, p...)
		*w.pending = joined[:0]
		return w.small(joined)
	}
	if tcp, ok := w.c.nc.(*net.TCPConn); ok && len(pending) > 0 && len(p) <= pieceSize {
		return w.pair(tcp, pending, p)
	}
	if len(pending) > 0 {
		if err := w.small(pending); err != nil {
			return err
		}
	}
	for len(p) > 0 {
		n := min(len(p), pieceSize)
		if err := w.piece(p[:n]); err != nil {
			return err
		}
		p = p[n:]
	}
	return nil
}

// small writes without checking the time: the first write of a request almost always fits into
// the socket's buffer.
func (w *bodyWriter) small(b []byte) error {
	if w.sent == 0 {
		_, err := w.c.nc.Write(b)
		return err
	}
	return w.piece(b)
}

// pair writes head and body with one system call, as much as the socket accepts.
func (w *bodyWriter) pair(tcp *net.TCPConn, head, p []byte) error {
	vector := net.Buffers{head, p}
	return w.steps(func() (int, error) {
		_, err := vector.WriteTo(tcp)
		left := 0
		for _, b := range vector {
			left += len(b)
		}
		return left, err
	})
}

// piece writes b, checking for the server's answer and the time while it blocks.
func (w *bodyWriter) piece(b []byte) error {
	if w.sent > 0 && w.c.tls == nil && w.c.peek() {
		return errAnswered
	}
	if w.c.tls != nil {
		// TLS cannot continue after a partial write.
		_ = w.c.raw.SetWriteDeadline(time.Now().Add(w.timeout))
		_, err := w.c.nc.Write(b)
		_ = w.c.raw.SetWriteDeadline(time.Time{})
		return err
	}
	return w.steps(func() (int, error) {
		n, err := w.c.nc.Write(b)
		b = b[n:]
		return len(b), err
	})
}

// steps repeats a write that continues where it stopped; it returns the rest. No progress for
// the timeout is an error, and so is an answer of the server.
func (w *bodyWriter) steps(write func() (int, error)) error {
	defer func() { _ = w.c.raw.SetWriteDeadline(time.Time{}) }()
	begun, before := time.Now(), -1
	for {
		_ = w.c.raw.SetWriteDeadline(time.Now().Add(min(lookEvery, w.timeout)))
		left, err := write()
		if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
			return err
		}
		if w.c.peek() {
			return errAnswered
		}
		if left != before {
			begun, before = time.Now(), left
		} else if time.Since(begun) >= w.timeout {
			return err
		}
	}
}
