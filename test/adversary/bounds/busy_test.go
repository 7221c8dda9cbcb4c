package bounds

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// busyAddresses are the attackers, busyEach the connections that each keeps busy: together
// a few more than a node with so few descriptors serves.
const busyAddresses, busyEach = 5, 27

// beginning opens a connection with a request in progress. ended is closed when the
// node has closed it.
type beginning func(ctx context.Context, s *stranger) (conn net.Conn, ended <-chan struct{}, err error)

// busyConnections has several addresses keep a request in progress on each of their
// connections, until the function that it returns is called. One that is refused comes
// back at a pace that leaves no new connection of theirs in the way of others.
func busyConnections(t *testing.T, to string, begin beginning) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for n := range busyAddresses * busyEach {
		s := strangerAt(n/busyEach, to)
		// One after the other: their handshakes would push each other out.
		conn, ended, err := begin(ctx, s)
		wg.Go(func() {
			tick := time.NewTicker(10 * time.Second)
			defer tick.Stop()
			for ctx.Err() == nil {
				if err == nil {
					stop := closeWith(ctx, conn)
					<-ended
					stop()
				}
				select {
				case <-tick.C:
					conn, ended, err = begin(ctx, s)
				case <-ctx.Done():
				}
			}
			if err == nil {
				conn.Close()
			}
		})
	}
	return func() { cancel(); wg.Wait() }
}

// halfCall opens a call whose message never comes.
func halfCall(ctx context.Context, s *stranger) (net.Conn, <-chan struct{}, error) {
	c, err := s.h2(ctx, false)
	if err != nil {
		return nil, nil, err
	}
	_, err = c.open(c.request(grpcPath, "application/grpc", 0), true)
	return c, c.ended, err
}

// halfBody sends a request to a gateway whose body comes slowly.
func halfBody(ctx context.Context, s *stranger) (net.Conn, <-chan struct{}, error) {
	conn, err := s.dial(ctx)
	if err != nil {
		return nil, nil, err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		trickle(ctx, conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: node\r\nContent-Type: application/json\r\n"+
			"Content-Length: 200000\r\n\r\n"+strings.Repeat(" ", 1000), time.Second/4)
	}()
	return conn, ended, nil
}

// letsIn has one more address ask for something, each time over a new connection.
func letsIn(t *testing.T, url string) {
	t.Helper()
	harness.Client().CloseIdleConnections()
	client := *harness.Client()
	transport := client.Transport.(*http.Transport).Clone()
	transport.DisableKeepAlives = true
	transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		return strangerAt(busyAddresses+1, addr).dial(ctx)
	}
	client.Transport = transport
	for n := range 10 {
		if err := ask(t.Context(), &client, url); err != nil {
			t.Errorf("request %d: %v", n, err)
		}
	}
}

func ask(ctx context.Context, client *http.Client, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %s", resp.Status)
	}
	return nil
}

// TestBusyConnectionsAtALowDescriptorLimit: a few addresses with a request in progress on
// more connections than a node may have keep no other peer out.
func TestBusyConnectionsAtALowDescriptorLimit(t *testing.T) {
	t.Run("orchestrator", func(t *testing.T) {
		o := orchestrator(t, fewDescriptors)
		defer busyConnections(t, o.front, halfCall)()
		letsIn(t, "https://"+o.front+"/healthz")
	})
	t.Run("gateway", func(t *testing.T) {
		g := gateway(t, fewDescriptors, orchestrator(t, 0).front)
		defer busyConnections(t, g.front, halfBody)()
		letsIn(t, "http://"+g.front+"/healthz")
	})
}
