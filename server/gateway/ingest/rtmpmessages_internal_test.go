package ingest

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/bluenviron/gortmplib/pkg/bytecounter"
	"github.com/bluenviron/gortmplib/pkg/message"

	"github.com/tuttinode/tutti/server/admission"
)

// chunk0 is a chunk with a whole message.
func chunk0(stream, kind byte, length int, body []byte) []byte {
	head := []byte{stream, 0, 0, 0, byte(length >> 16), byte(length >> 8), byte(length), kind, 0, 0, 0, 0}
	return append(head, body...)
}

// FuzzMessages: no message ends more than its connection.
func FuzzMessages(f *testing.F) {
	f.Add(chunk0(3, 9, 5, []byte{0x17, 0, 0, 0, 0}))
	f.Add(chunk0(4, 8, 4, []byte{0xaf, 0, 0x12, 0x10}))
	f.Add(chunk0(3, 20, 6, []byte{2, 0, 1, 'a', 0x0a, 0xff}))
	f.Fuzz(func(t *testing.T, data []byte) {
		var err error
		defer func() {
			if err != nil && !errors.Is(err, io.EOF) && err.Error() == "" {
				t.Fatal("an error without a text")
			}
		}()
		defer recoveredRTMP(&err)
		count := bytecounter.NewReadWriter(&bytes.Buffer{})
		g := admission.NewRTMPGuard(bytes.NewReader(append(append([]byte{3}, make([]byte, 2*1536)...), data...)))
		g.Admit()
		if _, err = io.CopyN(io.Discard, g, 1+2*1536); err != nil {
			return
		}
		m := &rtmpMedia{to: nothing{}}
		r := message.NewReader(g, count.Reader, func(uint32) error { return nil })
		for over := false; err == nil && !over; {
			var msg message.Message
			if msg, err = r.Read(); err == nil {
				over, err = m.take(msg)
			}
		}
	})
}
