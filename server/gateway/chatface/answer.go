package chatface

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/sse"
)

const (
	// maxAnswer bounds a whole answer, in bytes: 2048 embeddings of 4096 numbers are within it.
	maxAnswer = 128 << 20
	// piece is how much of a large answer is written under one deadline, stall how long a client may
	// take nothing.
	piece = 256 << 10
	stall = time.Minute
)

// answer maps what next writes. The header is the client's own, so that what next says of retries,
// costs and request IDs passes.
type answer struct {
	call    call
	w       http.ResponseWriter
	control *http.ResponseController
	// cancel ends next's request when its answer is refused before its end. Next then takes the client for gone, and
	// does not break off the connection.
	cancel context.CancelFunc

	// status is next's, 0 until it is known. sent: the client has the answer's beginning.
	status int
	sent   bool
	// stream maps events; nil maps a whole answer, which is held in whole until scan has its end.
	stream *events
	whole  []byte
	scan   sse.JSONScanner
}

// Header is the client's.
func (a *answer) Header() http.Header { return a.w.Header() }

// Unwrap gives a ResponseController the deadlines of the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.w }

// FlushError flushes what is mapped. What is held until the answer is whole needs no flush.
func (a *answer) FlushError() error {
	if !a.sent {
		return nil
	}
	return a.control.Flush()
}

// WriteHeader begins a stream, or holds the status until the answer is whole.
func (a *answer) WriteHeader(code int) {
	switch {
	case a.status != 0:
		return
	case code < http.StatusOK:
		a.w.WriteHeader(code)
		return
	}
	a.status = code
	h := a.w.Header()
	h.Del("Content-Length")
	if code != http.StatusOK || !strings.HasPrefix(h.Get("Content-Type"), "text/event-stream") || a.call.conv == nil {
		return
	}
	out := a.call.conv.Stream()
	if out == nil {
		return
	}
	a.stream = &events{out: out, grow: a.call.take}
	h.Set("Content-Type", out.Mime())
	a.mapHeader()
	a.sent = true
	a.w.WriteHeader(code)
}

func (a *answer) mapHeader() {
	if m, ok := a.call.face.(HeaderMapper); ok {
		m.MapHeader(a.w.Header())
	}
}

// Write maps a piece of the answer.
func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.WriteHeader(http.StatusOK)
	}
	if a.stream != nil {
		out, err := a.stream.feed(p)
		if len(out) > 0 {
			if _, err := a.w.Write(out); err != nil {
				return 0, err
			}
		}
		if err != nil {
			return 0, err
		}
		return len(p), nil
	}
	if a.sent {
		return len(p), nil // what follows the answer's end
	}
	if err := a.hold(p); err != nil {
		a.refuseAs(err)
		a.cancel()
		return 0, err
	}
	if a.scan.Complete() {
		if err := a.sendWhole(); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// hold adds a piece to an answer that is not whole yet.
func (a *answer) hold(p []byte) error {
	if len(a.whole)+len(p) > maxAnswer {
		return fault.New(fault.AnswerUnreadable, opMap, "the answer is too long")
	}
	if need := len(a.whole) + len(p); need > cap(a.whole) {
		need = max(need, 2*cap(a.whole))
		if err := a.call.take(int64(need - cap(a.whole))); err != nil {
			return err
		}
		a.whole = append(make([]byte, 0, need), a.whole...)
	}
	a.whole = append(a.whole, p...)
	a.scan.Feed(p)
	return nil
}

// sendWhole maps and sends an answer that is whole.
func (a *answer) sendWhole() error {
	if encoding := a.w.Header().Get("Content-Encoding"); encoding != "" {
		a.w.Header().Del("Content-Encoding")
		a.refuseAs(fault.New(fault.AnswerUnreadable, opMap, "the answer is compressed, which was not asked for"))
		return nil
	}
	if a.status != http.StatusOK {
		mime, out := a.call.face.Error(a.status, a.whole)
		return a.send(a.status, mime, out)
	}
	mime, out, err := a.mapWhole()
	if err != nil {
		a.refuseAs(err)
		return nil
	}
	return a.send(http.StatusOK, mime, out)
}

// mapWhole maps an answer with status 200.
func (a *answer) mapWhole() (mime string, out []byte, err error) {
	if err := a.convertQuery(); err != nil {
		return "", nil, err
	}
	if a.call.conv.Stream() != nil {
		return "", nil, fault.New(fault.AnswerUnreadable, opMap, "a stream was requested and the answer is not one")
	}
	need := 2 * int64(len(a.whole)) // its parts, and what the client gets
	if v, ok := a.call.conv.(Vectors); !ok || !v.Vectors() {
		need += mapped(a.whole)
	}
	if err := a.call.take(need); err != nil {
		return "", nil, err
	}
	return a.call.conv.Answer(a.whole)
}

// send sends an answer. Each piece of it has its own deadline.
func (a *answer) send(code int, mime string, out []byte) error {
	a.sent, a.status = true, code
	h := a.w.Header()
	h.Set("Content-Type", mime)
	h.Set("Content-Length", strconv.Itoa(len(out)))
	h.Set("X-Content-Type-Options", "nosniff")
	if code != http.StatusOK {
		h.Set("Cache-Control", "no-store")
	}
	a.mapHeader()
	a.w.WriteHeader(code)
	if len(out) > piece { // a transport without deadlines has none to set
		defer func() { _ = a.control.SetWriteDeadline(time.Time{}) }()
	}
	for len(out) > piece {
		_ = a.control.SetWriteDeadline(time.Now().Add(stall))
		n, err := a.w.Write(out[:piece])
		if err != nil {
			return err
		}
		out = out[n:]
	}
	_, err := a.w.Write(out)
	return err
}

// finish ends an answer after next has returned.
func (a *answer) finish() {
	switch {
	case a.stream != nil:
		if out := a.stream.cutOff(); len(out) > 0 {
			_, _ = a.w.Write(out) // a client that left needs no end
		}
	case a.status == 0 || a.sent:
		// Without a status the client left.
	case a.status != http.StatusOK || a.w.Header().Get("Content-Encoding") != "":
		_ = a.sendWhole() // a client that left needs no error
	default:
		a.refuseAs(fault.New(fault.AnswerUnreadable, opMap, "the answer is not a JSON object"))
	}
}

// failure is an error in the form in which events have it.
func failure(code int, err error) []byte {
	e := errorOf(code, err)
	e.Error.Status = code
	b, _ := json.Marshal(e.Error) // strings and a number cannot fail
	return b
}
