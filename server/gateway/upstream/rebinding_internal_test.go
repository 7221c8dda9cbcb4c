package upstream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/server/rpc"
)

// rebound is an orchestrator whose name leads to 127.0.0.1 until it answered, and then to 127.0.0.2, where a server
// stands that only the gateway is to reach.
type rebound struct {
	c      *Client
	uri    string
	inside atomic.Int32 // requests at the server inside
	away   atomic.Bool
	// result is the rendition's address, while makes what happens before the answer.
	result string
	while  func()
}

const reboundName = "orchestrator.test"

func newRebound(t *testing.T) *rebound {
	t.Helper()
	r := &rebound{c: New(Options{}), while: func() {}}
	t.Cleanup(r.c.Close)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Method == http.MethodGet {
			_, _ = w.Write(make([]byte, core.MinRenditionBytes))
			return
		}
		_, _ = io.Copy(io.Discard, q.Body)
		r.while()
		raw, _ := proto.Marshal(&rpc.TranscodeResult{Result: &rpc.TranscodeResult_Data{Data: &rpc.TranscodeData{
			Segments: []*rpc.TranscodedSegmentData{{Url: r.result}}}}})
		r.away.Store(true)
		w.Header().Set("Connection", "close") // so that the next request needs another connection
		_, _ = w.Write(raw)
	}))
	t.Cleanup(front.Close)
	_, port, _ := net.SplitHostPort(front.Listener.Addr().String())
	r.uri = "http://" + net.JoinHostPort(reboundName, port)
	var dialer net.Dialer
	r.c.bulk.DialContext = DialRecordedPeer(func(ctx context.Context, network, address string) (net.Conn, error) {
		ip := "127.0.0.1"
		if r.away.Load() {
			ip = "127.0.0.2"
		}
		return dialer.DialContext(ctx, network, strings.Replace(address, reboundName, ip, 1))
	})
	return r
}

// serveInside starts the server inside at a port, "0" for any, and returns its port.
func (r *rebound) serveInside(t *testing.T, port string) string {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.2", port))
	if err != nil {
		t.Skip(err) // a system without that address
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		r.inside.Add(1)
		_, _ = w.Write(bytes.Repeat([]byte("s"), core.MinRenditionBytes))
	}))
	_ = s.Listener.Close()
	s.Listener = l
	s.Start()
	t.Cleanup(s.Close)
	_, port, _ = net.SplitHostPort(l.Addr().String())
	return port
}

// fetched sends a segment and fetches its rendition.
func (r *rebound) fetched(t *testing.T) ([]byte, error) {
	t.Helper()
	res, err := r.c.Send(t.Context(), &rpc.OrchestratorInfo{Transcoder: r.uri}, &Segment{
		Meta: rpc.SegmentMeta{Profiles: make([]core.Profile, 1)}, Data: []byte("segment"),
		Timing: videorouting.Timing{Accept: time.Minute, Attempt: time.Minute},
	})
	if err != nil {
		t.Fatal(err)
	}
	all, err := r.c.Download(t.Context(), r.uri, res.Renditions, func(int64) error { return nil })
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// TestAnOrchestratorsNameLeadsNowhereElse: after its answer an orchestrator's name leads behind the gateway's firewall.
// What is at its own host is fetched from where the answer came from, at whatever port.
func TestAnOrchestratorsNameLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	r := newRebound(t)
	r.result = "http://" + net.JoinHostPort(reboundName, r.serveInside(t, "0")) + "/latest/meta-data"
	if _, err := r.fetched(t); !errors.Is(err, fault.RenditionDownload) {
		t.Errorf("%v", err)
	}
	if n := r.inside.Load(); n != 0 {
		t.Errorf("%d requests behind the firewall", n)
	}
}

// TestAKeptConnectionLeadsNowhereElse: a connection that the gateway made meanwhile, to the same name and port, leads
// elsewhere. It is not used for the rendition, which is fetched all the same.
func TestAKeptConnectionLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	r := newRebound(t)
	u, err := url.Parse(r.uri)
	if err != nil {
		t.Fatal(err)
	}
	r.serveInside(t, u.Port())
	r.result = r.uri + "/rendition"
	r.while = func() {
		r.away.Store(true)
		req, _ := http.NewRequest(http.MethodGet, r.uri+"/kept", nil)
		resp, err := r.c.bulk.RoundTrip(req)
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
	data, err := r.fetched(t)
	if err != nil || len(data) == 0 || data[0] != 0 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if n := r.inside.Load(); n != 1 {
		t.Errorf("%d requests behind the firewall, one of them the test's own", n)
	}
}
