package orchestrator

import (
	"net/http"
	"strconv"
	"time"
)

const (
	// stallTimeout is how long a gateway may read nothing of an answer before its connection
	// is aborted and its slot released.
	stallTimeout = time.Minute
	// stallStep is how often the timeout restarts while the gateway reads.
	stallStep = 10 * time.Second
)

// answerWriter writes an answer in pieces. The status is sent with the first piece, so that
// another status is possible until then.
type answerWriter struct {
	x     *aiJob
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

// write sends a piece, at once if flush is set.
func (a *answerWriter) write(p []byte, flush bool) error {
	now := a.x.s.opt.Now()
	// In HTTP/1.1 a deadline affects only writes; in HTTP/2 it also resets the stream while
	// the model is silent.
	stream := a.x.r.ProtoMajor == 2
	if stream || now.Sub(a.armed) >= stallStep {
		a.armed = now
		_ = a.ctl.SetWriteDeadline(now.Add(stallTimeout))
	}
	_, err := a.x.w.Write(p)
	if err == nil && flush {
		err = a.ctl.Flush()
	}
	if err == nil && stream {
		_ = a.ctl.SetWriteDeadline(time.Time{})
	}
	a.x.addWait(now)
	return err
}

// setDeadline sets the deadline for n bytes.
func (a *answerWriter) setDeadline(n int) {
	a.armed = a.x.s.opt.Now()
	writeBy(a.x.w, a.armed, n)
}
