package liverunner_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// lazyRunner is a server that answers requests without reading their bodies, as simple ones do. What is left is the next
// request on the connection. seen are the sessions that requests name, ended the connections that a request has closed.
func lazyRunner(t *testing.T) (address string, seen <-chan string, ended <-chan struct{}) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	sessions, over := make(chan string, 100), make(chan struct{}, 100)
	var all sync.WaitGroup
	serve := func(conn net.Conn) {
		defer conn.Close()
		stop := make(chan struct{})
		defer close(stop)
		go func() { // ends with serve
			select {
			case <-t.Context().Done():
				_ = conn.Close()
			case <-stop:
			}
		}()
		in := bufio.NewReader(conn)
		for {
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			if r.URL.Path != "/health" {
				sessions <- r.Header.Get("Livepeer-Session-Id")
			}
			if _, err := fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"); err != nil {
				return
			}
			if r.Close {
				over <- struct{}{}
				return
			}
		}
	}
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { serve(conn) })
		}
	})
	t.Cleanup(func() { _ = l.Close(); all.Wait() })
	return "http://" + l.Addr().String(), sessions, over
}

// TestABodyIsNoRequest: what a client sends as a body reaches the runner as that. Behind a server that does not read it,
// it would be a request in which the client names any session.
func TestABodyIsNoRequest(t *testing.T) {
	t.Parallel()
	n := start(t, "")
	runner, seen, ended := lazyRunner(t)
	path := n.session(t, n.register(t, static("a", runner, ""))[0])
	_, own, _ := strings.Cut(path, "/session/")
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
		res := n.request(t, method, path+"/app/x",
			"GET /other HTTP/1.1\r\nHost: runner\r\nLivepeer-Session-Id: session_other\r\n\r\n")
		if res.StatusCode != http.StatusOK {
			t.Fatal(method, res.Status)
		}
		if got := <-seen; got != own {
			t.Fatal(method, "session", got)
		}
		select {
		case got := <-seen:
			t.Fatal(method, ": the runner gets a request in the body, of ", got)
		case <-ended:
		}
	}
}
