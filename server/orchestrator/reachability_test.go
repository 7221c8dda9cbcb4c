package orchestrator_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/server/orchestrator"
)

// checkedNode is a TLS server with its certificate.
func checkedNode(t *testing.T) (uri string, leaf func() []byte) {
	t.Helper()
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" {
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL, func() []byte { return s.Certificate().Raw }
}

func answering(t *testing.T, body string, status int) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// check runs a check until it has looked once more than before.
type check struct {
	*orchestrator.Reachability
	board *health.Board
	looks *atomic.Int64
}

func startCheck(t *testing.T, opt orchestrator.ReachabilityOptions) *check {
	t.Helper()
	c := &check{board: health.New(slog.New(slog.DiscardHandler), time.Now, nil), looks: new(atomic.Int64)}
	opt.Board, opt.Log, opt.Now, opt.Reach = c.board, slog.New(slog.DiscardHandler), time.Now, true
	opt.Delay, opt.Interval = time.Millisecond, time.Hour
	c.Reachability = orchestrator.NewReachability(opt)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = c.Run(ctx, func() {}) }()
	t.Cleanup(func() { cancel(); <-done })
	return c
}

// until waits for a condition of the status.
func (c *check) until(t *testing.T, what string, ok func(doctor.Reachability) bool) doctor.Reachability {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		if s := c.Status(); ok(s) {
			return s
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s: %+v", what, c.Status())
		case <-tick.C:
		}
	}
}

func (c *check) has(code fault.Code) bool {
	for _, x := range c.board.Snapshot() {
		if x.Code == code {
			return true
		}
	}
	return false
}

func checked(s doctor.Reachability) bool { return s.Reach != doctor.ReachUnknown }

func TestReachesItself(t *testing.T) {
	uri, leaf := checkedNode(t)
	c := startCheck(t, orchestrator.ReachabilityOptions{Advertised: func() string { return uri }, Certificate: leaf})
	if s := c.until(t, "judged", checked); s.Reach != doctor.Reachable || len(c.board.Snapshot()) != 0 {
		t.Errorf("%+v, %v", s, c.board.Snapshot())
	}
}

func TestAnotherServerAnswers(t *testing.T) {
	uri, _ := checkedNode(t)
	c := startCheck(t, orchestrator.ReachabilityOptions{Advertised: func() string { return uri },
		Certificate: func() []byte { return []byte("another") }})
	if s := c.until(t, "judged", checked); s.Reach != doctor.ReachForeign || !c.has(fault.ServiceAddrForeign) {
		t.Errorf("%+v, %v", s, c.board.Snapshot())
	}
}

func TestClosedPortOfThisMachine(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	uri := "https://" + l.Addr().String()
	_ = l.Close()
	var now atomic.Pointer[string]
	now.Store(&uri)
	c := startCheck(t, orchestrator.ReachabilityOptions{Advertised: func() string { return *now.Load() }})
	if s := c.until(t, "judged", checked); s.Reach != doctor.ReachClosed || !c.has(fault.PortClosed) {
		t.Fatalf("%+v, %v", s, c.board.Snapshot())
	}
	// It is opened, and the condition goes.
	good, _ := checkedNode(t)
	now.Store(&good)
	c.Recheck()
	c.until(t, "reachable", func(s doctor.Reachability) bool { return s.Reach == doctor.Reachable })
	if c.has(fault.PortClosed) {
		t.Error("the condition stays")
	}
}

// An address that is not this machine's and does not answer says nothing by
// itself; a visitor from outside proves that the port is open.
func TestRouterThatDoesNotLoopBack(t *testing.T) {
	// Nothing routes to the documentation's addresses: dialing fails at once or
	// takes the whole time.
	c := startCheck(t, orchestrator.ReachabilityOptions{
		Advertised: func() string { return "https://gateway.invalid:8935" }})
	if s := c.until(t, "judged", checked); s.Reach != doctor.ReachUnverified || !c.has(fault.PortUnverified) {
		t.Fatalf("%+v, %v", s, c.board.Snapshot())
	}
	c.PeerSeen(&net.TCPAddr{IP: net.ParseIP("192.168.1.9"), Port: 1}) // its own network proves nothing
	c.PeerSeen(&net.TCPAddr{IP: net.ParseIP("198.51.100.7"), Port: 1})
	c.until(t, "hairpin", func(s doctor.Reachability) bool { return s.Reach == doctor.ReachHairpin })
	if len(c.board.Snapshot()) != 0 {
		t.Errorf("conditions %v", c.board.Snapshot())
	}
}

func TestMismatch(t *testing.T) {
	uri, leaf := checkedNode(t)
	var found atomic.Pointer[string]
	c := startCheck(t, orchestrator.ReachabilityOptions{
		Advertised: func() string { return uri }, Certificate: leaf, Lookup: answering(t, "198.51.100.7\n", 200),
		Port:       "8935",
		OnChain:    func() (string, bool) { return "https://198.51.100.8:8935", true },
		Discovered: func(u string) { found.Store(&u) },
	})
	s := c.until(t, "judged", checked)
	if !s.Mismatch || s.Discovered != "https://198.51.100.7:8935" || !c.has(fault.ServiceAddrMismatch) ||
		*found.Load() != s.Discovered {
		t.Errorf("%+v, %v", s, c.board.Snapshot())
	}
}

func TestPublicIP(t *testing.T) {
	for _, c := range []struct {
		body   string
		status int
		want   string
	}{
		{"198.51.100.7", 200, "198.51.100.7"}, {" 2001:db8::1\n", 200, "2001:db8::1"},
		{"::ffff:198.51.100.7", 200, "198.51.100.7"},
		{"<html>", 200, ""}, {"", 200, ""}, {"198.51.100.7", 500, ""}, {"224.0.0.1", 200, ""},
		{string(make([]byte, 1<<20)), 200, ""},
	} {
		got, err := orchestrator.PublicIP(context.Background(),
			&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, answering(t, c.body, c.status))
		if c.want == "" && !errors.Is(err, fault.PublicIPUnknown) || c.want != "" && (err != nil || got.String() != c.want) {
			t.Errorf("%.20q %d: %v, %v", c.body, c.status, got, err)
		}
	}
}
