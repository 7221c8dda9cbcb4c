package backend

import (
	"bytes"
	"io"
	"time"
)

const (
	// doneTime is how long the connection of a stream that said [DONE] is kept for the end of the answer,
	// doneBytes how much of what follows is read. With that the connection can be used again.
	doneTime  = 100 * time.Millisecond
	doneBytes = 4 << 10
	// maxDoneLine is longer than the last line of a stream.
	maxDoneLine = 32
)

// eventEnd finds the line "data: [DONE]", which ends an event stream whether the server ends it or not.
type eventEnd struct {
	// line is the begin of the present line.
	line []byte
	done bool
}

// cut returns how many bytes of p belong to the stream, and the rest of its last event if p lacks it.
func (e *eventEnd) cut(p []byte) (n int, missing []byte) {
	for rest := p; ; {
		at := bytes.IndexByte(rest, '\n')
		if at < 0 {
			e.add(rest)
			return len(p), nil
		}
		e.add(rest[:at])
		rest = rest[at+1:]
		data, ok := bytes.CutPrefix(e.line, []byte("data:"))
		e.line = e.line[:0]
		if !ok || string(bytes.TrimSpace(data)) != "[DONE]" {
			continue
		}
		e.done = true
		for _, empty := range []string{"\n", "\r\n"} {
			if bytes.HasPrefix(rest, []byte(empty)) {
				return len(p) - len(rest) + len(empty), nil
			}
		}
		return len(p) - len(rest), []byte("\n")
	}
}

func (e *eventEnd) add(part []byte) {
	e.line = append(e.line, part[:min(len(part), maxDoneLine-len(e.line))]...)
}

// finish ends a stream that said [DONE]. What comes after it is ignored.
func (a *answer) finish() {
	a.timer.Reset(doneTime)
	defer a.timer.Stop()
	rest := make([]byte, 512)
	for left := doneBytes; left > 0; {
		n, err := a.src.Read(rest)
		if left -= n; err == io.EOF {
			return
		} else if err != nil {
			break
		}
	}
	_ = a.Close()
}
