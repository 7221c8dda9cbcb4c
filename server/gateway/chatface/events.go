package chatface

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/tuttinode/tutti/core/fault"
)

// maxEvent bounds one event, in bytes: a tool's arguments may come in one.
const maxEvent = 4 << 20

// events maps server-sent events. The zero value with out and grow set is ready.
type events struct {
	out  Stream
	grow func(n int64) error

	// line is the begun line, data the data of the begun event.
	line, data []byte
	// afterReturn: the last line ended with \r, to which \n would belong.
	afterReturn bool
	ended       bool
	// pinged: the client gets a sign of life with this piece already.
	pinged bool
	// buf is what the client gets of the last piece.
	buf []byte
	// counted is the memory of what was mapped so far, most that of one event.
	counted, most int64
}

// feed maps a piece of a stream. The result is valid until the next call, and is to be sent even with
// an error.
func (e *events) feed(p []byte) ([]byte, error) {
	e.buf, e.pinged = e.buf[:0], false
	for len(p) > 0 && !e.ended {
		if e.afterReturn && p[0] == '\n' {
			e.afterReturn, p = false, p[1:]
			continue
		}
		e.afterReturn = false
		end := bytes.IndexAny(p, "\r\n")
		if end < 0 {
			return e.result(e.keep(&e.line, p))
		}
		line := p[:end]
		if len(e.line) > 0 {
			if err := e.keep(&e.line, line); err != nil {
				return e.result(err)
			}
			line = e.line
		}
		e.afterReturn = p[end] == '\r'
		p = p[end+1:]
		err := e.take(line)
		e.line = e.line[:0]
		if err != nil {
			return e.result(err)
		}
	}
	return e.buf, nil
}

// result ends the stream with an error of its own.
func (e *events) result(err error) ([]byte, error) {
	if err != nil && !e.ended {
		e.ended = true
		e.buf = e.out.End(e.buf, failure(http.StatusBadGateway, err))
	}
	return e.buf, err
}

// keep adds b to a buffer, within maxEvent.
func (e *events) keep(to *[]byte, b []byte) error {
	if len(*to)+len(b) > maxEvent {
		return fault.New(fault.AnswerUnreadable, opMap, "an event of the stream is too long")
	}
	before := cap(*to)
	*to = append(*to, b...)
	if more := cap(*to) - before; more > initialBody {
		return e.grow(int64(more))
	}
	return nil
}

// take takes a whole line.
func (e *events) take(line []byte) error {
	switch {
	case len(line) == 0:
		return e.event()
	case line[0] == ':':
		e.comment(line)
		return nil
	}
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	if !ok {
		return nil // event, id and retry say nothing here
	}
	if len(e.data) > 0 {
		data = append([]byte{'\n'}, data...)
	}
	return e.keep(&e.data, data)
}

// comment passes a sign of life on, one for each piece.
func (e *events) comment(line []byte) {
	if e.pinged {
		return // a line of two bytes may become a hundred
	}
	e.pinged = true
	if p, ok := e.out.(Pinger); ok {
		e.buf = p.Ping(e.buf)
	} else if e.out.Mime() == "text/event-stream" {
		e.buf = append(append(e.buf, line...), "\n\n"...)
	}
}

// event takes the empty line that ends an event.
func (e *events) event() error {
	data := bytes.TrimSpace(e.data)
	e.data = e.data[:0]
	switch {
	case len(data) == 0:
		return nil
	case string(data) == "[DONE]":
		e.ended = true
		e.buf = e.out.End(e.buf, nil)
		return nil
	}
	if failed := failedWith(data); failed != nil {
		e.ended = true
		e.buf = e.out.End(e.buf, failed)
		return nil
	}
	if err := e.count(data); err != nil {
		return err
	}
	out, err := e.out.Event(e.buf, data)
	if err != nil {
		if !errors.As(err, new(*fault.Fault)) {
			err = &fault.Fault{Code: fault.AnswerUnreadable, Op: opMap, Detail: "an event of the stream cannot be read",
				Err: err}
		}
		return err
	}
	e.buf = out
	return nil
}

// count counts the memory that mapping an event takes, and what the stream holds of those before it.
func (e *events) count(data []byte) error {
	e.most = max(e.most, mapped(data))
	need := e.most
	if h, ok := e.out.(Holder); ok {
		need += h.Held()
	}
	if need-e.counted <= initialBody {
		return nil
	}
	more := need - e.counted + initialBody
	if err := e.grow(more); err != nil {
		return err
	}
	e.counted += more
	return nil
}

// failedWith returns the error that an event has, nil for none.
func failedWith(data []byte) []byte {
	if !bytes.Contains(data, []byte(`"error"`)) {
		return nil
	}
	var in struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(data, &in) != nil || len(in.Error) == 0 || string(in.Error) == "null" {
		return nil
	}
	if in.Error[0] == '"' { // some servers' errors are a text
		return append(append([]byte(`{"message":`), in.Error...), '}')
	}
	return in.Error
}

// cutOff ends a stream that next ended without an end.
func (e *events) cutOff() []byte {
	if e.ended {
		return nil
	}
	e.buf = e.buf[:0]
	out, _ := e.result(fault.New(fault.CompletionBroken, opMap, "the stream ended before the answer was finished"))
	return out
}
