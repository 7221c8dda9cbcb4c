package orchestrator

import (
	"errors"
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
	// streamPace and bodyPace are the least speeds, in bytes per second, at which a gateway reads
	// an answer of events, and one that is a single text; stallTimeout is on top of that.
	streamPace, bodyPace = 1 << 10, 16 << 10
)

// errTooSlow ends an answer that its gateway reads far more slowly than models write: it holds
// a slot of its model, for which others wait.
var errTooSlow = errors.New("the gateway takes its answer too slowly")

// answerWriter writes an answer in pieces. The status is sent with the first piece, so that
// another status is possible until then.
type answerWriter struct {
	x     *aiJob
	ctl   *http.ResponseController
	armed time.Time
	begun bool
	// sent is the bytes that the gateway took, waited how long that took.
	sent   int64
	waited time.Duration
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
	a.sent += int64(len(p))
	a.waited += a.x.addWait(now)
	if err == nil && a.waited > a.allowed(flush) {
		err = errTooSlow
	}
	return err
}

// allowed returns how long all pieces so far may have taken. Only the time that the gateway takes counts,
// not the model's.
func (a *answerWriter) allowed(stream bool) time.Duration {
	pace := int64(bodyPace)
	if stream {
		pace = streamPace
	}
	return stallTimeout + time.Duration(a.sent/pace)*time.Second
}

// setDeadline sets the deadline for n bytes.
func (a *answerWriter) setDeadline(n int) {
	a.armed = a.x.s.opt.Now()
	writeBy(a.x.w, a.armed, n)
}
