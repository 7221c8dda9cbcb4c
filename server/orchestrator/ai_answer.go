package orchestrator

import (
	"errors"
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
	// streamPace and bodyPace are how fast, in bytes per second, a gateway has to take an answer
	// that comes as events, and one that is a single text; takeTime is on top of that.
	streamPace, bodyPace = 1 << 10, 16 << 10
)

// errDawdles ends an answer that its gateway takes far more slowly than models write: it holds
// a slot of its model, which others wait for.
var errDawdles = errors.New("the gateway takes its answer too slowly")

// answerWriter writes an answer piece by piece. Its status goes out with the
// first piece, so that until then another one can be sent.
type answerWriter struct {
	x     *exchange
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
	a.sent += int64(len(p))
	a.waited += a.x.wait(now)
	if err == nil && a.waited > a.allowed(flush) {
		err = errDawdles
	}
	return err
}

// allowed is how long all pieces so far may have taken. Only waiting for the gateway counts, not
// the time of the model.
func (a *answerWriter) allowed(stream bool) time.Duration {
	pace := int64(bodyPace)
	if stream {
		pace = streamPace
	}
	return takeTime + time.Duration(a.sent/pace)*time.Second
}

// arm gives an answer of n bytes its time.
func (a *answerWriter) arm(n int) {
	a.armed = a.x.s.opt.Now()
	writeBy(a.x.w, a.armed, n)
}
