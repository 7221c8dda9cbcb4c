package orchestrator_test

import (
	"bufio"
	"bytes"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/server/rpc"
)

// pass lets the time of a bubble pass.
func pass(d time.Duration) { <-time.After(d) }

// wantClosed waits until the server hangs up and checks when that was.
func wantClosed(t *testing.T, conn net.Conn, after time.Duration) {
	t.Helper()
	start := time.Now()
	if _, err := io.Copy(io.Discard, conn); errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	if took := time.Since(start); took != after {
		t.Errorf("closed after %s, want %s", took, after)
	}
}

func TestSilentConnectionIsCutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, p := newPipeNode(t)
		raw, err := p.dial()
		if err != nil {
			t.Fatal(err)
		}
		defer raw.Close()
		wantClosed(t, raw, 10*time.Second)
	})
}

func TestSlowHeaderIsCutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, p := newPipeNode(t)
		conn := p.connect(t)
		begun := time.Now()
		for range 9 {
			if _, err := conn.Write([]byte("G")); err != nil {
				t.Fatal(err)
			}
			pass(time.Second)
		}
		wantClosed(t, conn, 10*time.Second-time.Since(begun))
	})
}

func TestIdleConnectionIsClosedAfterTenMinutes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, p := newPipeNode(t)
		conn := p.connect(t)
		if _, err := io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: node\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		wantClosed(t, conn, 10*time.Minute)
	})
}

// dribble is a body of n zeros, so many per second, and slower after the first
// half if then is set.
type dribble struct{ n, perSecond, then, left int }

func (d *dribble) Read(p []byte) (int, error) {
	if d.n == 0 {
		return 0, io.EOF
	}
	if d.left == 0 {
		pass(time.Second)
		d.left = d.perSecond
		if d.then > 0 && d.n <= slowBody/2 {
			d.left = d.then
		}
	}
	n := min(len(p), d.n, d.left)
	clear(p[:n])
	d.n -= n
	d.left -= n
	return n, nil
}

// slowBody is the size of the bodies that are sent slowly.
const slowBody = 1 << 20

func TestSlowBody(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name            string
		perSecond, then int
		duration        time.Duration
		status          int
		after           time.Duration
	}{
		{"too slow for its segment", 64 << 10, 0, 2 * time.Second, 500, 8 * time.Second},
		{"slower than anyone", 1, 0, time.Minute, 500, 8 * time.Second},
		{"slow from the middle on", 128 << 10, 1, time.Minute, 500, 16 * time.Second},
		{"slow but steady", 128 << 10, 0, time.Minute, 200, 8 * time.Second},
	} {
		for _, version := range []string{"HTTP/1.1", "HTTP/2"} {
			t.Run(tc.name+" over "+version, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					n, p := newPipeNode(t)
					m := meta(n.token(), make([]byte, slowBody))
					m.Duration = tc.duration
					req := n.post(m, io.NopCloser(&dribble{n: slowBody, perSecond: tc.perSecond, then: tc.then}))
					req.ContentLength = slowBody
					start := time.Now()
					var res *http.Response
					var err error
					if version == "HTTP/2" {
						res, err = n.h2.Do(req)
					} else {
						res, err = p.byHand(t, req)
					}
					if err != nil {
						t.Fatal(err)
					}
					if res.StatusCode != tc.status {
						t.Errorf("status %d, want %d", res.StatusCode, tc.status)
					}
					if took := time.Since(start); took < tc.after || took > tc.after+time.Second {
						t.Errorf("answered after %s, want %s", took, tc.after)
					}
					_, _ = io.Copy(io.Discard, res.Body)
					res.Body.Close()
					synctest.Wait()
					if got := n.orch.Usage().Sessions; tc.status != http.StatusOK && got != 0 {
						t.Errorf("%d sessions are left", got)
					}
				})
			})
		}
	}
}

// byHand sends a request over a connection of its own; net/http's client holds
// locks that a bubble cannot see through.
func (p *pipes) byHand(t *testing.T, req *http.Request) (*http.Response, error) {
	t.Helper()
	conn := p.connect(t)
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		_ = req.Write(conn) // it may be cut off
	}()
	res, err := http.ReadResponse(bufio.NewReader(conn), req)
	t.Cleanup(func() { <-sent })
	return res, err
}

// TestSlowReader: a gateway that asks for a rendition and does not take it is cut off.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, p := newPipeNode(t)
		n.fake.RenditionBytes = 1 << 20
		url := n.transcode(n.h2, n.token(), []byte("segment")).GetData().GetSegments()[0].GetUrl()
		conn := p.connect(t)
		if _, err := io.WriteString(conn, "GET "+url[len(n.uri):]+" HTTP/1.1\r\nHost: node\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		pass(time.Minute)
		got, err := io.ReadAll(conn)
		if err == nil && len(got) > 1<<20 {
			t.Error("the whole rendition was still there")
		}
	})
}

// TestLongWorkIsNotCutOff: none of the limits on strangers ends an answer that
// we ourselves are slow with.
func TestLongWorkIsNotCutOff(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"HTTP/1.1", "HTTP/2"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n, _ := newPipeNode(t)
				n.fake.Latency = 4 * time.Minute
				c := n.h2
				if version == "HTTP/1.1" {
					c = n.h1
				}
				body := bytes.Repeat([]byte("segment"), 1000)
				m := meta(n.token(), body)
				m.Duration = 70 * time.Second
				_, answer := do(t, c, n.post(m, bytes.NewReader(body)))
				if got := result(t, answer); got.GetError() != "" || len(got.GetData().GetSegments()) != 2 {
					t.Errorf("answer %v", got)
				}
			})
		})
	}
}

// TestWorkersWithoutCertificateDoNotFillTheLog: any host may ask to be a worker.
func TestWorkersWithoutCertificateDoNotFillTheLog(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	n := newNode(t, func(su *setup) {
		su.listener.WorkerCA = x509.NewCertPool()
		su.listener.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
	for range 50 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
			n.uri+rpc.Transcoder_RegisterTranscoder_FullMethodName, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/grpc")
		if res, _ := do(t, n.h2, req); res.Trailer.Get("Grpc-Status") != "16" {
			t.Errorf("not turned away: %v, %v", res.Header, res.Trailer)
		}
	}
	n.stop()
	if got := strings.Count(log.String(), "worker refused"); got != 1 {
		t.Errorf("%d lines of 50 refusals, want one", got)
	}
}
