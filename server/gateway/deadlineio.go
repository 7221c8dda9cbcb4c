package gateway

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/tuttinode/tutti/core"
)

// deadlineReader reads a request's body with a deadline for every read, so that a client that stops
// sending does not hold its slot, and a deadline for all of it. Real-time encoders send a segment
// while they make it, so a low rate alone is no error.
type deadlineReader struct {
	r       io.Reader
	control *http.ResponseController
	idle    time.Duration
	end     time.Time
	failed  error
}

func (g *Gateway) deadlineReader(w http.ResponseWriter, r io.Reader) *deadlineReader {
	return &deadlineReader{
		r: r, control: http.NewResponseController(w), idle: g.opt.Limits.BodyIdle,
		end: time.Now().Add(core.MaxSegmentDuration),
	}
}

// Read sets the deadline and reads.
func (p *deadlineReader) Read(b []byte) (int, error) {
	deadline := time.Now().Add(p.idle)
	if deadline.After(p.end) {
		deadline = p.end
	}
	_ = p.control.SetReadDeadline(deadline) // a transport without deadlines has none to set
	n, err := p.r.Read(b)
	if err != nil && err != io.EOF {
		p.failed = err
	}
	return n, err
}

// done removes the deadline: from now on the server watches the connection for a disconnect.
func (p *deadlineReader) done() {
	if p.failed == nil {
		_ = p.control.SetReadDeadline(time.Time{})
	}
}

// timedOut reports whether reading failed because of a deadline.
func (p *deadlineReader) timedOut() bool { return errors.Is(p.failed, os.ErrDeadlineExceeded) }

// deadlineWriter writes an answer in pieces with a deadline for each, so that a client that does
// not read is disconnected in the end.
type deadlineWriter struct {
	w       io.Writer
	control *http.ResponseController
	idle    time.Duration
}

// piece is what a client must read within the idle time, in bytes.
const piece = 256 << 10

func (g *Gateway) deadlineWriter(w http.ResponseWriter) *deadlineWriter {
	return &deadlineWriter{w: w, control: http.NewResponseController(w), idle: g.opt.Limits.BodyIdle}
}

// Write sets deadlines and writes.
func (p *deadlineWriter) Write(b []byte) (n int, err error) {
	for len(b) > 0 {
		_ = p.control.SetWriteDeadline(time.Now().Add(p.idle))
		m, err := p.w.Write(b[:min(len(b), piece)])
		n += m
		if err != nil {
			return n, err
		}
		b = b[m:]
	}
	return n, nil
}

// done removes the deadline for the connection's next answer. Buffered data is flushed first.
func (p *deadlineWriter) done() {
	_ = p.control.Flush()
	_ = p.control.SetWriteDeadline(time.Time{})
}
