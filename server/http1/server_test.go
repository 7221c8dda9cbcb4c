package http1_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/server/http1"
)

// echo answers as its path says.
func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("X-Seen", fmt.Sprintf("%s %s host=%s length=%d coding=%v close=%v accept=%q multi=%q expect=%q",
		r.Method, r.URL, strings.Split(r.Host, ":")[0], r.ContentLength, r.TransferEncoding, r.Close, r.Header["Accept"],
		r.Header["X-Multi"], r.Header["Expect"]))
	w.Header()["x-lower"] = []string{"a", "b"}
	switch {
	case strings.HasPrefix(r.URL.Path, "/none"):
		w.WriteHeader(http.StatusNoContent)
	case strings.HasPrefix(r.URL.Path, "/same"):
		w.WriteHeader(http.StatusNotModified)
	case strings.HasPrefix(r.URL.Path, "/bad"):
		http.Error(w, "bad", http.StatusBadRequest)
	case strings.HasPrefix(r.URL.Path, "/stream"):
		for part := range bytes.Lines(body) {
			_, _ = w.Write(part)
			w.(http.Flusher).Flush()
		}
		w.Header().Set(http.TrailerPrefix+"X-Trailer", "there")
	case strings.HasPrefix(r.URL.Path, "/early"):
		w.WriteHeader(http.StatusEarlyHints)
		_, _ = w.Write(body)
	case strings.HasPrefix(r.URL.Path, "/end"):
		w.Header().Set("Connection", "close")
		_, _ = w.Write(body)
	default:
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		_, _ = w.Write(body)
	}
}

// bodies make the same body in different ways.
var bodies = map[string]func(text string) io.Reader{
	"reader": func(s string) io.Reader { return strings.NewReader(s) },
	"hidden": func(s string) io.Reader { return struct{ io.Reader }{strings.NewReader(s)} },
	"bits": func(s string) io.Reader {
		return io.MultiReader(strings.NewReader(s[:len(s)/3]), strings.NewReader(s[len(s)/3:]))
	},
	"none": func(string) io.Reader { return nil },
}

// Every kind of request and answer is the same as with the standard library's
// transport, plain and with TLS, on new and used connections.
func TestAsTheStandardTransport(t *testing.T) {
	t.Parallel()
	for _, secured := range []bool{false, true} {
		url := served(t, secured, echo)
		standard := &http.Transport{TLSClientConfig: secure(), DisableCompression: true}
		t.Cleanup(standard.CloseIdleConnections)
		ours := transport(t, http1.Options{TLS: secure()})
		for _, method := range []string{"", "HEAD", "POST", "DELETE"} {
			for _, path := range []string{"/", "/a%20b/?q=1&r=%2F", "/none", "/same", "/bad", "/stream", "/early", "/end"} {
				for kind, body := range bodies {
					for _, size := range []int{7, 70000} {
						r, err := http.NewRequestWithContext(t.Context(), method, url+path, body(strings.Repeat("line \n", size/6+1)))
						if err != nil {
							t.Fatal(err)
						}
						r.Header = http.Header{"X-Multi": {"1", "2"}, "Accept": {" text/plain "}, "User-Agent": {"test"}}
						name := fmt.Sprintf("tls=%v %q %s %s %d", secured, method, path, kind, size)
						same(t, name, r, standard, ours, body(strings.Repeat("line \n", size/6+1)))
					}
				}
			}
		}
	}
}

func same(t *testing.T, name string, r *http.Request, standard, ours http.RoundTripper, again io.Reader) {
	t.Helper()
	second := r.Clone(r.Context())
	if again != nil {
		second.Body = io.NopCloser(again)
	}
	want, wantBody := answer(t, name, standard, r)
	got, gotBody := answer(t, name, ours, second)
	got.Header.Del("Date")
	want.Header.Del("Date")
	if got.Status != want.Status || got.ContentLength != want.ContentLength || got.Close != want.Close ||
		got.Proto != want.Proto ||
		fmt.Sprint(got.TransferEncoding) != fmt.Sprint(want.TransferEncoding) || (got.TLS == nil) != (want.TLS == nil) ||
		got.Request != second ||
		!maps.EqualFunc(got.Header, want.Header, func(a, b []string) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) {
		t.Errorf("%s:\n got %+v\nwant %+v", name, got, want)
	}
	if gotBody != wantBody {
		t.Errorf("%s: a body of %d bytes, want %d", name, len(gotBody), len(wantBody))
	}
}

func answer(t *testing.T, name string, tr http.RoundTripper, r *http.Request) (*http.Response, string) {
	t.Helper()
	resp, err := tr.RoundTrip(r)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return resp, string(body)
}

func TestBodiesOfTenMegabytes(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789abcdef", 10<<16)
	for _, secured := range []bool{false, true} {
		url := served(t, secured, echo)
		tr := transport(t, http1.Options{TLS: secure()})
		for _, path := range []string{"/", "/stream"} {
			for kind, body := range bodies {
				if kind == "none" {
					continue
				}
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+path, body(text))
				if err != nil {
					t.Fatal(err)
				}
				if _, got, err := do(tr, r); err != nil || got != text {
					t.Errorf("%s %s: %d bytes, %v", path, kind, len(got), err)
				}
			}
		}
	}
}

func TestRequestsThatCannotBeSent(t *testing.T) {
	t.Parallel()
	url := served(t, false, echo)
	tr := transport(t, http1.Options{})
	closes := 0
	tests := map[string]func(*http.Request){
		"scheme":       func(r *http.Request) { r.URL.Scheme = "ftp" },
		"host":         func(r *http.Request) { r.URL.Host = "" },
		"host header":  func(r *http.Request) { r.Host = "a\r\nb" },
		"path":         func(r *http.Request) { r.URL.Opaque = "/a b" },
		"query":        func(r *http.Request) { r.URL.RawQuery = "a\r\nX: b" },
		"method":       func(r *http.Request) { r.Method = "G ET" },
		"connect":      func(r *http.Request) { r.Method = "CONNECT" },
		"header name":  func(r *http.Request) { r.Header["A b"] = []string{"x"} },
		"header value": func(r *http.Request) { r.Header["A"] = []string{"x\r\ny: z"} },
		"too long":     func(r *http.Request) { r.ContentLength = 3 },
		"too short":    func(r *http.Request) { r.ContentLength = 30 },
		"no URL":       func(r *http.Request) { r.URL = nil },
	}
	for name, spoil := range tests {
		r := post(t, t.Context(), url, "four")
		r.Body = &closeCounter{r.Body, &closes}
		spoil(r)
		closes = 0
		if _, _, err := do(tr, r); !errors.Is(err, http1.ErrRequest) {
			t.Errorf("%s: %v", name, err)
		}
		if closes == 0 {
			t.Errorf("%s: the body was not closed", name)
		}
	}
	broken := errors.New("broken")
	r := post(t, t.Context(), url, "")
	r.Body, r.ContentLength = io.NopCloser(io.MultiReader(strings.NewReader("some"), errorReader{broken})), 10
	if _, _, err := do(tr, r); !errors.Is(err, broken) {
		t.Error(err)
	}
	if status, _, err := do(tr, post(t, t.Context(), url, "four")); status != http.StatusOK || err != nil {
		t.Error("the next request:", status, err)
	}
}

type closeCounter struct {
	io.Reader
	n *int
}

func (c *closeCounter) Close() error { *c.n++; return nil }

type errorReader struct{ err error }

func (e errorReader) Read([]byte) (int, error) { return 0, e.err }

// Connections are used again, and not shared by two requests at a time.
func TestConnectionsAreKept(t *testing.T) {
	t.Parallel()
	for _, secured := range []bool{false, true} {
		var mu sync.Mutex
		seen := map[string]int{}
		url := served(t, secured, func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			seen[r.RemoteAddr]++
			mu.Unlock()
			echo(w, r)
		})
		tr := transport(t, http1.Options{TLS: secure()})
		for i := range 100 {
			if _, got, err := do(tr, post(t, t.Context(), url+[]string{"/", "/stream", "/none", "/early"}[i%4],
				"x")); err != nil || got != "x" && i%4 != 2 {
				t.Fatal(got, err)
			}
		}
		if len(seen) != 1 {
			t.Errorf("tls=%v: %d connections", secured, len(seen))
		}
		var wg sync.WaitGroup
		for i := range 16 {
			wg.Go(func() {
				for j := range 100 {
					text := strings.Repeat(fmt.Sprint(i, j, "\n"), 1+j)
					if _, got, err := do(tr, post(t, t.Context(), url+[]string{"/", "/stream"}[j%2], text)); err != nil ||
						got != text {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		if len(seen) > 17 {
			t.Errorf("tls=%v: %d connections for 16 clients", secured, len(seen))
		}
	}
}

// Closing a body whose end has arrived keeps the connection.
func TestClosedBeforeItsEnd(t *testing.T) {
	t.Parallel()
	url := served(t, false, echo)
	tr := transport(t, http1.Options{})
	for _, path := range []string{"/", "/stream"} {
		resp, err := tr.RoundTrip(post(t, t.Context(), url+path, "some text"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(resp.Body, make([]byte, 4)); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(resp.Body.Close(), resp.Body.Close()); err != nil {
			t.Error(err)
		}
		if _, err := resp.Body.Read(make([]byte, 4)); !errors.Is(err, http.ErrBodyReadAfterClose) {
			t.Error(err)
		}
	}
}
