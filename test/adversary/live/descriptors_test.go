package live

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// fewDescriptors is the limit of descriptors of the nodes below.
const fewDescriptors = 256

// startSmall starts a node with few descriptors and a runner that upgrades whatever asks for it.
func startSmall(t *testing.T) *node {
	t.Helper()
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") == "" {
			_, _ = io.Copy(io.Discard, r.Body)
			return
		}
		conn, in, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		_, _ = io.Copy(conn, in)
	}))
	t.Cleanup(app.CloseClientConnections)
	file := filepath.Join(t.TempDir(), "runners.json")
	text := fmt.Sprintf(`{"runners":[{"label":"r0","routing":"label","capacity":4,"app":"x","runner_url":%q,`+
		`"health_url":"/h"}]}`,
		app.URL)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	addr := harness.Address(t)
	n := &node{t: t, uri: "https://" + addr}
	n.Process = harness.Start(t, "/bin/sh", "-c", fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, fewDescriptors), binary,
		"-orchestrator", "-serviceAddr", addr, "-httpAddr", addr, "-cliAddr", harness.Address(t), "-dataDir", t.TempDir(),
		"-liveRunnerConfig", file)
	n.WaitHTTP(n.uri + "/healthz")
	return n
}

// socket is one that a client holds open through the node.
type socket struct {
	net.Conn
	in *bufio.Reader
}

// open opens a socket of a session from a loopback address.
func (n *node) open(from, path string) (*socket, error) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: 5 * time.Second}
	conn, err := tls.DialWithDialer(&d, "tcp", strings.TrimPrefix(n.uri, "https://"),
		&tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
	if err != nil {
		return nil, err
	}
	n.t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
	_, _ = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: node\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", path)
	s := &socket{conn, bufio.NewReader(conn)}
	res, err := http.ReadResponse(s.in, nil)
	if err == nil && res.StatusCode != http.StatusSwitchingProtocols {
		err = fmt.Errorf("%s", res.Status)
	}
	if err != nil {
		conn.Close()
	}
	return s, err
}

// echoes reports whether a socket is alive.
func (s *socket) echoes() bool {
	_ = s.SetDeadline(time.Now().Add(5 * time.Second))
	if _, err := io.WriteString(s, "hello"); err != nil {
		return false
	}
	got := make([]byte, 5)
	_, err := io.ReadFull(s.in, got)
	return err == nil && string(got) == "hello"
}

// sockets opens more sockets of a session than the node has descriptors.
func (n *node) sockets(session string) {
	for range fewDescriptors {
		_, _ = n.open("127.0.0.3", "/apps/r0/session/"+session+"/app/ws") // what is refused is fine
	}
}

// streams sends almost as many requests of a session whose bodies do not end, over one connection.
func (n *node) streams(session string) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP("127.0.0.3")}}
	transport := &http.Transport{
		DialContext: d.DialContext, ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}
	ctx, cancel := context.WithCancel(n.t.Context())
	var sent, ended sync.WaitGroup
	res, err := (&http.Client{Transport: transport}).Get(n.uri + "/apps/r0/session/" + session + "/app/")
	if err != nil {
		n.t.Fatal(err)
	}
	res.Body.Close()
	for range fewDescriptors - 10 {
		body, feed := io.Pipe()
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, n.uri+"/apps/r0/session/"+session+"/app/x", body)
		if err != nil {
			n.t.Fatal(err)
		}
		sent.Add(1)
		go func() {
			defer sent.Done()
			_, _ = io.WriteString(feed, "begun") // ends when the request is sent, or refused
		}()
		ended.Go(func() {
			if res, err := transport.RoundTrip(r); err == nil {
				res.Body.Close()
			}
			body.Close()
		})
	}
	sent.Wait()
	for range 20 { // until what was sent is at the runner
		if _, err := n.open("127.0.0.3", "/apps/r0/session/"+session+"/app/ws"); err != nil {
			break
		}
	}
	n.t.Cleanup(func() { cancel(); ended.Wait(); transport.CloseIdleConnections() })
}

// TestOneClientLeavesDescriptors: one client holds more sockets, or requests, in progress at a runner than the
// node has descriptors. A socket of another client goes on, and peers get in.
func TestOneClientLeavesDescriptors(t *testing.T) {
	t.Run("sockets", func(t *testing.T) { leavesDescriptors(t, (*node).sockets) })
	t.Run("streams", func(t *testing.T) { leavesDescriptors(t, (*node).streams) })
}

func leavesDescriptors(t *testing.T, attack func(n *node, session string)) {
	t.Helper()
	n := startSmall(t)
	honest, _ := n.session("r0")
	other, err := n.open("127.0.0.2", "/apps/r0/session/"+honest+"/app/ws")
	if err != nil {
		t.Fatal(err)
	}
	id, _ := n.session("r0")
	attack(n, id)
	for i := range 5 {
		harness.Client().CloseIdleConnections()
		if status, text := n.send("GET", "/healthz", nil); status != http.StatusOK {
			t.Errorf("request %d: %d %s", i, status, text)
		}
	}
	if _, err := n.open("127.0.0.4", "/apps/r0/session/"+honest+"/app/ws"); err != nil {
		t.Error("another client's new socket:", err)
	}
	if !other.echoes() {
		t.Error("another client's socket ended")
	}
}
