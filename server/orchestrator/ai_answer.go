package orchestrator

import (
	"net/http"
	"strconv"
	"time"
)

const (
	// takeTime is how long a gateway may take nothing of an answer before its
	// connection is cut off and its slot given back.
	takeTime = time.Minute
	// takeStep is how often that time begins anew while it takes something.
	takeStep = 10 * time.Second
)

// answerWriter writes an answer piece by piece. Its status goes out with the
// first piece, so that until then another one can be sent.
type answerWriter struct {
	x     *exchange
	ctl   *http.ResponseController
	armed time.Time
	begun bool
}

// begin sets the answer's header. length is -1 when it is not known.
func (a *answerWriter) begin(status int, contentType string, length int64) {
	h := a.x.w.Header()
	h.Set("Content-Type", contentType)
	if length >= 0 {
		h.Set("Content-Length", strconv.FormatInt(length, 10))
	}
	a.x.f.Status = status
	a.begun = true
	a.x.f.FirstByte = a.x.s.opt.Now().Sub(a.x.start)
	a.x.w.WriteHeader(status)
}

// write sends a piece, at once where flush is set.
func (a *answerWriter) write(p []byte, flush bool) error {
	now := a.x.s.opt.Now()
	// A deadline of HTTP/1.1 matters only to who writes; a stream of HTTP/2 is
	// reset by it while the model is silent, too.
	stream := a.x.r.ProtoMajor == 2
	if stream || now.Sub(a.armed) >= takeStep {
		a.armed = now
		_ = a.ctl.SetWriteDeadline(now.Add(takeTime))
	}
	_, err := a.x.w.Write(p)
	if err == nil && flush {
		err = a.ctl.Flush()
	}
	if err == nil && stream {
		_ = a.ctl.SetWriteDeadline(time.Time{})
	}
	a.x.wait(now)
	return err
}

// arm gives an answer of n bytes its time.
func (a *answerWriter) arm(n int) {
	a.armed = a.x.s.opt.Now()
	writeBy(a.x.w, a.armed, n)
}
