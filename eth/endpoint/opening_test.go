package endpoint

import (
	"bytes"
	"compress/flate"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/tuttinode/tutti/core"
)

// A header is read whole and takes many times its length.
func TestLongHeadersOfAnswers(t *testing.T) {
	t.Parallel()
	long := http.Header{"X-Long": {strings.Repeat("x", 1<<20)}}
	n := newFakeNode(t)
	n.whole = func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("X-Long", long.Get("X-Long"))
		return false
	}
	if _, err := poolOf(t, nil, n).BalanceAt(t.Context(), [20]byte{}, 0); err == nil {
		t.Error("an answer with a header of 1 MB is taken")
	}
	s := newSocketNode(t)
	s.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := (&websocket.Upgrader{}).Upgrade(w, r, long)
		if err != nil {
			return
		}
		defer conn.Close()
		for {
			_, body, err := conn.ReadMessage()
			if err != nil || conn.WriteMessage(websocket.TextMessage, s.respond(body)) != nil {
				return
			}
		}
	})
	if _, err := socketPool(t, s.url(), nil).BalanceAt(t.Context(), [20]byte{}, 0); err == nil {
		t.Error("a websocket with a header of 1 MB is taken")
	}
}

// An endpoint that answers a handshake with header lines without end.
func TestEndlessHandshakesCostBoundedMemory(t *testing.T) {
	ended := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		defer close(ended)
		conn, out, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = out.WriteString("HTTP/1.1 101 Switching Protocols\r\n")
		for lines := strings.Repeat("a:\r\n", 16<<10); ; {
			if _, err := out.WriteString(lines); err != nil {
				return
			}
		}
	}))
	defer server.Close()
	url := "ws" + strings.TrimPrefix(server.URL, "http")
	p, err := New(Options{Endpoints: []Endpoint{{URL: core.NewSecret(url)}}, CallTimeout: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := p.Head(t.Context()); err == nil {
		t.Error("it is taken for a chain")
	}
	<-ended
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
		t.Errorf("%d MiB for a handshake", used>>20)
	}
}

// A websocket that packs its messages without being asked to: what is small on the wire may
// be a thousand times as large then.
func TestPackedMessagesCostBoundedMemory(t *testing.T) {
	var bomb bytes.Buffer
	pack, err := flate.NewWriter(&bomb, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	for range 8 * answerBound >> 20 {
		_, _ = pack.Write(make([]byte, 1<<20))
	}
	if err := pack.Flush(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		conn, out, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		accept := sha1.Sum([]byte(r.Header.Get("Sec-Websocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
		_, _ = out.WriteString("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
			"Sec-Websocket-Extensions: permessage-deflate; server_no_context_takeover; client_no_context_takeover\r\n" +
			"Sec-Websocket-Accept: " + base64.StdEncoding.EncodeToString(accept[:]) + "\r\n\r\n")
		const text, packed, long = 0x81, 0x40, 127
		message := append([]byte{text | packed, long}, binary.BigEndian.AppendUint64(nil, uint64(bomb.Len()))...)
		_, _ = out.Write(append(message, bomb.Bytes()...))
		_ = out.Flush()
		_, _ = io.Copy(io.Discard, conn) // until it hangs up
	}))
	defer server.Close()
	p := socketPool(t, "ws"+strings.TrimPrefix(server.URL, "http"), func(o *Options) { o.CallTimeout = 5 * time.Second })
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := p.Head(t.Context()); err == nil {
		t.Error("it is taken for a chain")
	}
	<-ended
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > answerBound {
		t.Errorf("%d MiB for %d KiB on the wire", used>>20, bomb.Len()>>10)
	}
}

// Many small elements become much larger than their text.
func TestSmallElementsCostBoundedMemory(t *testing.T) {
	body := []byte("[" + strings.Repeat("{},", answerBound/4) + "{}]")
	for name, read := range map[string]func() bool{
		"an answer":           func() bool { _, f := decode(body, batchSize, 1, "x"); return f == nil },
		"a websocket message": func() bool { _, _, ok := messageID(body); return ok },
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if read() {
			t.Errorf("%s is taken", name)
		}
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > answerBound {
			t.Errorf("%s of %d MiB took %d MiB", name, len(body)>>20, used>>20)
		}
	}
}
