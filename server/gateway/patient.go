package gateway

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/tuttinode/tutti/core"
)

// patientReader reads a request's body with a deadline for every read, so that a
// client that stops sending does not hold its place, and one for all of it. Real
// time encoders send a segment while they make it: slow alone is no offence.
type patientReader struct {
	r       io.Reader
	control *http.ResponseController
	idle    time.Duration
	end     time.Time
	failed  error
}

func (g *Gateway) patientReader(w http.ResponseWriter, r io.Reader) *patientReader {
	return &patientReader{
		r: r, control: http.NewResponseController(w), idle: g.opt.Limits.BodyIdle,
		end: time.Now().Add(core.MaxSegmentDuration),
	}
}

// Read sets the deadline and reads.
func (p *patientReader) Read(b []byte) (int, error) {
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

// done takes the deadline away: from here on the server watches the connection
// for the client's going away.
func (p *patientReader) done() {
	if p.failed == nil {
		_ = p.control.SetReadDeadline(time.Time{})
	}
}

// late reports whether reading failed for being slow.
func (p *patientReader) late() bool { return errors.Is(p.failed, os.ErrDeadlineExceeded) }

// patientWriter writes an answer in pieces with a deadline for each, so that a
// client that does not read lets go in the end.
type patientWriter struct {
	w       io.Writer
	control *http.ResponseController
	idle    time.Duration
}

// piece is what a client must take within the idle time, in bytes.
const piece = 256 << 10

func (g *Gateway) patientWriter(w http.ResponseWriter) *patientWriter {
	return &patientWriter{w: w, control: http.NewResponseController(w), idle: g.opt.Limits.BodyIdle}
}

// Write sets deadlines and writes.
func (p *patientWriter) Write(b []byte) (n int, err error) {
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

// done takes the deadline away for the connection's next answer. Small writes
// may still be in the server's buffer: it flushes them first.
func (p *patientWriter) done() {
	_ = p.control.Flush()
	_ = p.control.SetWriteDeadline(time.Time{})
}
