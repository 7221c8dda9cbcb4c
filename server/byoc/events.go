package byoc

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

const (
	// maxLine bounds a line of an answer of events, in bytes.
	maxLine = 4 << 20
	// stallTime is how long a gateway may read nothing of the events.
	stallTime = 30 * time.Second
)

// done marks the last event of an answer. Read-only.
var done = []byte("[DONE]")

// events is an answer that goes on for some time.
type events struct {
	s   *Server
	w   http.ResponseWriter
	ctl *http.ResponseController
	x   *paidJob
	in  *bufio.Reader
	// buffer holds a line that is longer than the reader's.
	buffer []byte
}

// relayEvents passes events on line by line. Before the last event it sends the account's balance; the last event
// ends the answer.
func (s *Server) relayEvents(ctx context.Context, w http.ResponseWriter, r *http.Request, x *paidJob,
	res *http.Response) error {
	h := w.Header()
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Type", typeEvents)
	if r.ProtoMajor == 1 {
		h.Set("Connection", "keep-alive")
	}
	h.Set(headerMetadata, res.Header.Get(headerMetadata))
	h.Set("Livepeer-Payment-Balance", s.balance(x).Floor().String())
	e := events{s: s, w: w, ctl: http.NewResponseController(w), x: x, in: bufio.NewReaderSize(res.Body, 16<<10)}
	_ = e.ctl.SetReadDeadline(time.Time{})
	w.WriteHeader(res.StatusCode)
	err := e.relay()
	if err == nil {
		return nil
	}
	if errors.Is(context.Cause(ctx), errBalance) {
		_ = e.write([]byte("event: insufficient balance\n" + e.balance()))
		return nil
	}
	x.end()
	panic(http.ErrAbortHandler) // the only sign of an incomplete answer
}

func (e *events) relay() error {
	if err := e.write(nil); err != nil {
		return err
	}
	for {
		line, err := e.line()
		if bytes.HasPrefix(line, []byte("data:")) && bytes.Contains(line, done) {
			e.x.end()
			return e.write(append(append([]byte(e.balance()), bytes.TrimRight(line, "\r\n")...), '\n', '\n'))
		}
		if len(line) > 0 {
			if err := e.write(line); err != nil {
				return err
			}
		}
		if err != nil {
			return ignoreEOF(err)
		}
	}
}

// balance returns the event that states the balance of the gateway's account. The network's nodes end it with one more
// empty line than the format needs, and so does this.
func (e *events) balance() string {
	left := e.s.balance(e.x)
	return `data: {"balance": ` + left.Rat().FloatString(3) + "}\n\n\n"
}

// write sends a line. It flushes unless a further line has already arrived.
func (e *events) write(p []byte) error {
	_ = e.ctl.SetWriteDeadline(e.s.o.Now().Add(stallTime))
	if _, err := e.w.Write(p); err != nil {
		return err
	}
	var err error
	if e.in.Buffered() == 0 {
		err = e.ctl.Flush()
	}
	// In HTTP/2 a deadline that stays set ends the stream even while the capability is silent.
	_ = e.ctl.SetWriteDeadline(time.Time{})
	return err
}

// line reads a line with its line break; the last line may have none.
func (e *events) line() ([]byte, error) {
	line, err := e.in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	e.buffer = append(e.buffer[:0], line...)
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = e.in.ReadSlice('\n')
		if e.buffer = append(e.buffer, line...); len(e.buffer) > maxLine {
			return nil, errLongLine
		}
	}
	return e.buffer, err
}

var errLongLine = errors.New("a line is too long")

// ignoreEOF returns nil for the regular end of an answer.
func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
