package trickle_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tuttinode/tutti/server/trickle"
)

// The segments of many streams end at about the same time. Their connections carry the next ones: a new connection for
// each segment would cost both sides a TLS handshake.
func TestConnectionsOfManyStreamsAreKept(t *testing.T) {
	t.Parallel()
	const streams = 50
	var together sync.WaitGroup
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		together.Done()
		together.Wait() // all requests are in progress at once
		_, _ = io.WriteString(w, "segment")
	}))
	defer srv.Close()
	transport, ok := srv.Client().Transport.(*http.Transport)
	if !ok {
		t.Fatal("no transport")
	}
	var dialed atomic.Int64
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		dialed.Add(1)
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	c := trickle.NewHTTPClient(transport.TLSClientConfig, dial)
	defer c.CloseIdleConnections()
	for range 4 {
		together.Add(streams)
		var ended sync.WaitGroup
		for range streams {
			ended.Go(func() {
				res, err := c.Get(srv.URL)
				if err != nil {
					t.Error(err)
					together.Done()
					return
				}
				defer res.Body.Close()
				if text, err := io.ReadAll(res.Body); string(text) != "segment" || err != nil {
					t.Errorf("%q, %v", text, err)
				}
			})
		}
		ended.Wait()
	}
	if n := dialed.Load(); n > streams+streams/2 {
		t.Errorf("%d connections for %d streams", n, streams)
	}
}
