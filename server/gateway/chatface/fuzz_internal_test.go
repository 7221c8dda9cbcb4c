package chatface

import (
	"strings"
	"testing"
)

// echo is a Stream that passes the data on, each in a line, and says how the stream ended.
type echo struct{ ends int }

func (*echo) Mime() string { return "text/event-stream" }

func (*echo) Event(dst, data []byte) ([]byte, error) {
	return append(append(dst, data...), '\n'), nil
}

func (e *echo) End(dst, failed []byte) []byte {
	e.ends++
	return append(append(append(dst, "end:"...), failed...), '\n')
}

// fed is what a client gets of a stream that comes in pieces.
func fed(t *testing.T, pieces ...string) string {
	out := &echo{}
	e := events{out: out, grow: func(int64) error { return nil }}
	var got strings.Builder
	for _, p := range pieces {
		b, err := e.feed([]byte(p))
		got.Write(b)
		if err != nil {
			break
		}
	}
	got.Write(e.cutOff())
	if out.ends != 1 {
		t.Errorf("%q has %d ends", pieces, out.ends)
	}
	return got.String()
}

// However a stream is cut, the client gets the same, and one end.
func FuzzEvents(f *testing.F) {
	f.Add(": a\n\ndata: {\"a\":1}\r\n\r\ndata: [DONE]\n\n", 12)
	f.Add("event: x\rdata:{\rdata:}\r\rdata: {\"error\":{\"message\":\"x\"}}\n\n", 20)
	f.Fuzz(func(t *testing.T, all string, cut int) {
		if cut < 0 || cut > len(all) {
			return
		}
		if whole, halves := fed(t, all), fed(t, all[:cut], all[cut:]); whole != halves {
			t.Errorf("%q is %q, cut at %d %q", all, whole, cut, halves)
		}
	})
}
