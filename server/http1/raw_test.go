package http1_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/http1"
)

// canned is a Dial whose connections answer with text, whatever is written, and
// then end. step bounds what one Read gives.
func canned(text string, step int) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		return &cannedConn{text: text, step: step}, nil
	}
}

type cannedConn struct {
	net.Conn
	text string
	step int
}

func (c *cannedConn) Read(p []byte) (int, error) {
	if c.text == "" {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), c.step)], c.text)
	c.text = c.text[n:]
	return n, nil
}

func (*cannedConn) Write(p []byte) (int, error)        { return len(p), nil }
func (*cannedConn) Close() error                       { return nil }
func (*cannedConn) SetReadDeadline(t time.Time) error  { return nil }
func (*cannedConn) SetWriteDeadline(t time.Time) error { return nil }

// exchange is one request that is answered with text.
func roundTrip(t testing.TB, text string, step int) (int, string, error) {
	t.Helper()
	return do(transport(t, http1.Options{Dial: canned(text, step)}), get(t, context.Background(), "http://host/"))
}

const (
	sized   = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\n0123456789"
	chunked = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: " +
		"chunked\r\n\r\n3\r\n012\r\n7;x=\"y\"\r\n3456789\r\n0\r\nX: y\r\n\r\n"
	toEnd = "HTTP/1.0 200 OK\r\n\r\n0123456789"
)

// An answer that is cut short anywhere is an error, never a shorter answer; what
// has arrived is handed on before it.
func TestEveryTruncation(t *testing.T) {
	t.Parallel()
	for _, text := range []string{sized, chunked} {
		for _, step := range []int{1, 3, 1000} {
			if _, body, err := roundTrip(t, text, step); err != nil || body != "0123456789" {
				t.Fatalf("whole: %q %v", body, err)
			}
			for cut := range len(text) {
				_, body, err := roundTrip(t, text[:cut], step)
				if !errors.Is(err, io.ErrUnexpectedEOF) && !(cut == 0 && errors.Is(err, http1.ErrNoAnswer)) {
					t.Errorf("cut at %d: %q %v", cut, body, err)
				}
				if !strings.HasPrefix("0123456789", body) {
					t.Errorf("cut at %d: %q", cut, body)
				}
			}
		}
	}
	if _, body, err := roundTrip(t, toEnd, 3); err != nil || body != "0123456789" {
		t.Error(body, err)
	}
}

func TestMalformedAnswers(t *testing.T) {
	t.Parallel()
	head := func(lines string) string { return "HTTP/1.1 200 OK\r\n" + lines + "\r\n" }
	coded := func(body string) string { return head("Transfer-Encoding: chunked\r\n") + body }
	large := strings.Repeat("x", 70000)
	tests := []struct {
		name, text string
		want       error
	}{
		{"garbage", "SSH-2.0-OpenSSH_9.2\r\n\r\n", http1.ErrMalformed},
		{"empty line first", "\r\n\r\n" + sized, http1.ErrMalformed},
		{"version", "HTTP/2.0 200 OK\r\n\r\n", http1.ErrMalformed},
		{"version spelling", "http/1.1 200 OK\r\n\r\n", http1.ErrMalformed},
		{"status", "HTTP/1.1 20x OK\r\n\r\n", http1.ErrMalformed},
		{"short status", "HTTP/1.1 20 OK\r\n\r\n", http1.ErrMalformed},
		{"long status", "HTTP/1.1 2000 OK\r\n\r\n", http1.ErrMalformed},
		{"low status", "HTTP/1.1 099 OK\r\n\r\n", http1.ErrMalformed},
		{"no status", "HTTP/1.1\r\n\r\n", http1.ErrMalformed},
		{"two spaces", "HTTP/1.1  200 OK\r\n\r\n", http1.ErrMalformed},
		{"reason", "HTTP/1.1 200 O\rK\r\n\r\n", http1.ErrMalformed},
		{"switches", "HTTP/1.1 101 Switching Protocols\r\n\r\n", http1.ErrMalformed},
		{"hints forever", strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 100), http1.ErrMalformed},
		{"bare LF", "HTTP/1.1 200 OK\nContent-Length: 0\n\n", io.ErrUnexpectedEOF},
		{"LF within", head("A: b\nContent-Length: 5\r\n"), http1.ErrMalformed},
		{"CR within", head("A: b\rc\r\n"), http1.ErrMalformed},
		{"NUL", head("A: b\x00\r\n"), http1.ErrMalformed},
		{"folded", head("A: b\r\n c\r\n"), http1.ErrMalformed},
		{"no colon", head("A b\r\n"), http1.ErrMalformed},
		{"space before colon", head("Content-Length : 5\r\n"), http1.ErrMalformed},
		{"no name", head(": 5\r\n"), http1.ErrMalformed},
		{"odd name", head("A(b): 5\r\n"), http1.ErrMalformed},
		{"both lengths", head("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\n", http1.ErrMalformed},
		{"two lengths", head("Content-Length: 5\r\nContent-Length: 6\r\n"), http1.ErrMalformed},
		{"list of lengths", head("Content-Length: 5, 5\r\n"), http1.ErrMalformed},
		{"signed length", head("Content-Length: +5\r\n"), http1.ErrMalformed},
		{"negative length", head("Content-Length: -5\r\n"), http1.ErrMalformed},
		{"hex length", head("Content-Length: 0x5\r\n"), http1.ErrMalformed},
		{"no length", head("Content-Length: \r\n"), http1.ErrMalformed},
		{"huge length", head("Content-Length: 9999999999999999999\r\n"), http1.ErrMalformed},
		{"other coding", head("Transfer-Encoding: gzip, chunked\r\n"), http1.ErrMalformed},
		{"coding twice", head("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), http1.ErrMalformed},
		{"coding in 1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", http1.ErrMalformed},
		{"head too large", head("A: " + large + "\r\n"), http1.ErrTooLarge},
		{"head without end", "HTTP/1.1 200 " + large, http1.ErrTooLarge},
		{"too many fields", head(strings.Repeat("A: b\r\n", 300)), http1.ErrTooLarge},
		{"chunk size", coded("x\r\n"), http1.ErrMalformed},
		{"no chunk size", coded("\r\n"), http1.ErrMalformed},
		{"signed chunk", coded("+3\r\nabc\r\n0\r\n\r\n"), http1.ErrMalformed},
		{"hex prefix", coded("0x3\r\nabc\r\n0\r\n\r\n"), http1.ErrMalformed},
		{"huge chunk", coded("fffffffffffffffff\r\nabc"), http1.ErrMalformed},
		{"space before size", coded(" 3\r\nabc\r\n0\r\n\r\n"), http1.ErrMalformed},
		{"chunk with LF", coded("3\nabc\r\n0\r\n\r\n"), http1.ErrMalformed},
		{"chunk too long", coded("3\r\nabcd\r\n0\r\n\r\n"), http1.ErrMalformed},
		{"chunk ends in LF", coded("3\r\nabc\n0\r\n\r\n"), http1.ErrMalformed},
		{"size line forever", coded("3;" + large), http1.ErrTooLarge},
		{"CR in extension", coded("3;a\rb\r\nabc\r\n0\r\n\r\n"), http1.ErrMalformed},
		{"trailers forever", coded("0\r\n" + strings.Repeat("A: b\r\n", 2000) + "\r\n"), http1.ErrTooLarge},
		{"trailer line forever", coded("0\r\n" + large), http1.ErrTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, step := range []int{1, 1 << 20} {
				if status, body, err := roundTrip(t, tt.text, step); !errors.Is(err, tt.want) {
					t.Errorf("%d %q %v, want %v", status, body, err, tt.want)
				}
			}
		})
	}
}

func TestUnusualAnswers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, body string
	}{
		{"no reason", "HTTP/1.1 200\r\nContent-Length: 1\r\n\r\nx", "x"},
		{"empty reason", "HTTP/1.1 200 \r\nContent-Length: 1\r\n\r\nx", "x"},
		{"no fields", "HTTP/1.1 200 OK\r\n\r\nx", "x"},
		{"same length twice", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", "x"},
		{"spaces", "HTTP/1.1 200 OK\r\nContent-Length:\t 1 \t\r\n\r\nx", "x"},
		{"empty value", "HTTP/1.1 200 OK\r\nA:\r\nContent-Length: 1\r\n\r\nx", "x"},
		{"large head", "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("x", 60000) + "\r\nContent-Length: 1\r\n\r\nx", "x"},
		{"large head and body", "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("x", 5000) + "\r\nContent-Length: 20000\r\n\r\n" +
			strings.Repeat("y", 20000), strings.Repeat("y", 20000)},
		{"coding spelling", "HTTP/1.1 200 OK\r\nTRANSFER-ENCODING: Chunked\r\n\r\n1 \r\nx\r\n0\r\n\r\n", "x"},
		{"many chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" +
			strings.Repeat("0000A\r\n0123456789\r\n", 3000) + "00\r\n\r\n", strings.Repeat("0123456789", 3000)},
		{"interim", strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n", 5) +
			"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", "x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, step := range []int{1, 7, 1 << 20} {
				if status, body, err := roundTrip(t, tt.text, step); err != nil || status != 200 || body != tt.body {
					t.Errorf("step %d: %d, %d bytes, %v", step, status, len(body), err)
				}
			}
		})
	}
}

// What follows an answer without being asked for is never the next one's.
func TestAnswerThatWasNotAskedFor(t *testing.T) {
	t.Parallel()
	for _, extra := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
		"HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
	} {
		url := raw(t, func(n int, c net.Conn, r *bufio.Reader) {
			for request(r) != nil {
				if n > 0 {
					write(c, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood")
				} else {
					write(c, extra)
				}
			}
		})
		tr := transport(t, http1.Options{})
		if _, body, err := do(tr, get(t, t.Context(), url)); body == "evil" || err != nil {
			t.Error(body, err)
		}
		if _, body, err := do(tr, get(t, t.Context(), url)); body != "good" || err != nil {
			t.Error(body, err)
		}
	}
}

// A Read returns what has arrived, and does not wait for a chunk's rest.
func TestReadReturnsWhatHasArrived(t *testing.T) {
	t.Parallel()
	next := make(chan string)
	url := raw(t, func(_ int, c net.Conn, r *bufio.Reader) {
		request(r)
		for text := range next {
			write(c, text)
		}
	})
	defer close(next)
	go func() { next <- streamed + "a\r\nab" }()
	resp, err := transport(t, http1.Options{}).RoundTrip(get(t, t.Context(), url))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for _, part := range []struct{ send, want string }{
		{"", "ab"}, {"cd", "cd"}, {"efghij\r\n3\r\n01", "efghij01"}, {"2\r\n0", "2"}, {"\r\n\r\n", ""},
	} {
		if part.send != "" {
			next <- part.send
		}
		got := make([]byte, 0, 100)
		for len(got) < len(part.want) {
			n, err := resp.Body.Read(got[len(got):cap(got)])
			if err != nil {
				t.Fatal(err)
			}
			got = got[:len(got)+n]
		}
		if string(got) != part.want {
			t.Errorf("%q, want %q", got, part.want)
		}
	}
	if n, err := resp.Body.Read(make([]byte, 10)); n != 0 || err != io.EOF {
		t.Error(n, err)
	}
}

// A server may answer before it has the whole request, and hang up or stop
// reading.
func TestAnswerWhileTheBodyIsWritten(t *testing.T) {
	t.Parallel()
	const refusal = "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno"
	tests := map[string]func(c net.Conn, r *bufio.Reader, over chan struct{}){
		"hangs up": func(c net.Conn, r *bufio.Reader, _ chan struct{}) {
			_, _ = r.Peek(100)
			write(c, refusal)
			_ = c.(*net.TCPConn).CloseWrite()
			_, _ = io.CopyN(io.Discard, r, 1<<20)
		},
		"stops reading": func(c net.Conn, r *bufio.Reader, over chan struct{}) {
			_, _ = r.Peek(100)
			write(c, refusal)
			<-over
		},
	}
	for name, serve := range tests {
		for _, known := range []bool{true, false} {
			t.Run(fmt.Sprint(name, known), func(t *testing.T) {
				t.Parallel()
				over := make(chan struct{})
				defer close(over)
				url := raw(t, func(_ int, c net.Conn, r *bufio.Reader) { serve(c, r, over) })
				var body io.Reader = strings.NewReader(strings.Repeat("x", 64<<20))
				if !known {
					body = struct{ io.Reader }{body}
				}
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, body)
				if err != nil {
					t.Fatal(err)
				}
				if status, text, err := do(transport(t, http1.Options{}), r); status != 413 || text != "no" || err != nil {
					t.Errorf("%d %q %v", status, text, err)
				}
			})
		}
	}
}

// A server that neither reads nor answers is given up.
func TestServerThatStandsStill(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	defer close(over)
	url := raw(t, func(int, net.Conn, *bufio.Reader) { <-over })
	tr := transport(t, http1.Options{WriteTimeout: 50 * time.Millisecond})
	_, _, err := do(tr, post(t, t.Context(), url, strings.Repeat("x", 64<<20)))
	var timeout net.Error
	if !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Error(err)
	}
}

func TestInterimAnswersAreHandedOver(t *testing.T) {
	t.Parallel()
	url := raw(t, func(_ int, c net.Conn, r *bufio.Reader) {
		for request(r) != nil {
			write(c, "HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n")
		}
	})
	var got []string
	ctx := http1.WithInterim(t.Context(), func(status int, h http.Header) {
		got = append(got, fmt.Sprint(status, h.Get("A")))
	})
	if status, _, err := do(transport(t, http1.Options{}), get(t, ctx, url)); status != 204 || err != nil {
		t.Error(status, err)
	}
	if len(got) != 1 || got[0] != "103b" {
		t.Errorf("%q", got)
	}
}
