package endpoint

import (
	"bytes"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// frame is a frame of a websocket: its first byte, and a length as wide as is asked for.
func frame(first byte, length uint64, body []byte) []byte {
	if length < 126 {
		return append([]byte{first, byte(length)}, body...)
	}
	return append(binary.BigEndian.AppendUint64([]byte{first, 127}, length), body...)
}

// sendFrames upgrades a connection, reads nothing, and sends frames until the client hangs up. The error is
// os.ErrDeadlineExceeded when it does not.
func sendFrames(w http.ResponseWriter, r *http.Request, first, again []byte) error {
	conn, out, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	accept := sha1.Sum([]byte(r.Header.Get("Sec-Websocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	_, _ = out.WriteString("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		"Sec-Websocket-Accept: " + base64.StdEncoding.EncodeToString(accept[:]) + "\r\n\r\n")
	_, _ = out.Write(first)
	if err := out.Flush(); err != nil || len(again) == 0 {
		_, err = io.Copy(io.Discard, conn)
		return err
	}
	again = bytes.Repeat(again, 1+(16<<10)/len(again))
	for {
		if _, err := conn.Write(again); err != nil {
			return err
		}
	}
}

// Whatever frames an endpoint sends, they take bounded memory, and the node hangs up: neither messages that it has not
// asked for nor control frames keep it reading. Of honest endpoints none sends as many.
func TestFramesWithoutEnd(t *testing.T) {
	const (
		text, more, ping, pong, last, packed = 0x01, 0x00, 0x89, 0x8a, 0x80, 0x40
	)
	notice := []byte(`{"jsonrpc":"2.0","method":"eth_subscription","params":{}}`)
	small := make([]byte, 125)
	for name, tt := range map[string]struct{ first, again []byte }{
		"fragments of no bytes":   {frame(text, 0, nil), frame(more, 0, nil)},
		"fragments":               {frame(text, 0, nil), frame(more, 64<<10, make([]byte, 64<<10))},
		"pings":                   {nil, frame(ping, 125, small)},
		"pongs":                   {nil, frame(pong, 125, small)},
		"a huge message":          {frame(text|last, 1<<62, nil), nil},
		"a negative length":       {frame(text|last, 1<<63+7, nil), nil},
		"long control frames":     {nil, frame(ping, 1<<16, make([]byte, 1<<16))},
		"a packed message":        {nil, frame(text|last|packed, 125, small)},
		"notices":                 {nil, frame(text|last, uint64(len(notice)), notice)},
		"messages without number": {nil, frame(text|last, 2, []byte("{}"))},
	} {
		t.Run(name, func(t *testing.T) {
			ended := make(chan error, 1)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				ended <- sendFrames(w, r, tt.first, tt.again)
			}))
			defer server.Close()
			p := socketPool(t, "ws"+strings.TrimPrefix(server.URL, "http"), nil)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, err := p.Head(t.Context()); err == nil {
				t.Error("it is taken for a chain")
			}
			if err := <-ended; errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("the node still reads after a minute")
			}
			runtime.ReadMemStats(&after)
			// Control frames are garbage at once, for as long as the node reads.
			control := len(tt.again) > 0 && (tt.again[0] == ping || tt.again[0] == pong)
			if used := after.TotalAlloc - before.TotalAlloc; !control && used > 5*answerBound {
				t.Errorf("%d MiB", used>>20)
			}
		})
	}
}
