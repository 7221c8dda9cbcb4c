package aiapi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// TestResultsAreWhereTheAnswerCameFrom: a result is at the host, the port and in the scheme of its orchestrator. By the
// time it is fetched the host's name may lead to a server without TLS on the gateway's own network.
func TestResultsAreWhereTheAnswerCameFrom(t *testing.T) {
	t.Parallel()
	for address, row := range map[string]struct {
		orchestrator string
		taken        bool
	}{
		"https://o:8935/stream/1.png":  {"https://o:8935", true},
		"/stream/1.png":                {"o:8935", true},
		"http://o:8935/stream/1.png":   {"http://o:8935", true},
		"http://o:80/latest/meta-data": {"https://o:80", false},
		"http://o:80/latest/user-data": {"o:80", false},
		"https://o:8936/stream/1.png":  {"https://o:8935", false},
		"https://p:8935/stream/1.png":  {"https://o:8935", false},
		"https://o:443/stream/2.png":   {"http://o:443", false},
	} {
		if _, err := resultURL(row.orchestrator, address); row.taken != (err == nil) ||
			err != nil && !errors.Is(err, fault.ResultFetchFailed) {
			t.Errorf("%s of %s: %v", address, row.orchestrator, err)
		}
	}
}

// TestResultsOfANameThatLeadsElsewhere: once its answer came from 127.0.0.1, an orchestrator's name leads to 127.0.0.2,
// where a server stands that only the gateway is to reach. Results are fetched from where the answer came from.
func TestResultsOfANameThatLeadsElsewhere(t *testing.T) {
	t.Parallel()
	const name = "orchestrator.test"
	o := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "result") }))
	defer o.Close()
	_, port, _ := net.SplitHostPort(o.Listener.Addr().String())
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.2", port))
	if err != nil {
		t.Skip(err) // a system without that address
	}
	var asked atomic.Int32
	inside := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	_ = inside.Listener.Close()
	inside.Listener = l
	inside.StartTLS()
	defer inside.Close()

	f := newFetcher()
	defer f.close()
	var dialer net.Dialer
	f.transport.DialContext = upstream.DialRecordedPeer(
		func(ctx context.Context, network, address string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, strings.Replace(address, name, "127.0.0.2", 1))
		})
	from := Source{Orchestrator: "https://" + net.JoinHostPort(name, port), Peer: netip.MustParseAddr("127.0.0.1")}
	got, err := f.Fetch(t.Context(), from, "/stream/1.png", 1<<10, func(int64) error { return nil })
	if string(got) != "result" || err != nil || asked.Load() != 0 {
		t.Errorf("%q, %v, %d requests at the server inside", got, err, asked.Load())
	}
}
