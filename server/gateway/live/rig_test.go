package live_test

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/gateway/live"
	"github.com/tuttinode/tutti/server/trickle"
)

// network is a list of orchestrators, the best first.
type network struct {
	mu   sync.Mutex
	list []live.Orchestrator
}

func (n *network) Find(context.Context, string) ([]live.Orchestrator, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.list) == 0 {
		return nil, errors.New("none")
	}
	return append([]live.Orchestrator(nil), n.list...), nil
}

// gateway is a gateway's part for live video, on loopback.
type gateway struct {
	*live.Server
	url     string
	network *network
}

func newGateway(t *testing.T, change func(*live.Options), list ...live.Orchestrator) *gateway {
	t.Helper()
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	n := &network{list: list}
	channels := trickle.NewHTTPClient(&tls.Config{InsecureSkipVerify: true}, nil)
	o := live.Options{Conn: conn, Network: n, Channels: channels, Puller: live.RTMP{}, Now: time.Now, Rand: rand.Reader,
		Log: slog.New(slog.DiscardHandler), Limits: live.Limits{MinSegment: 200 * time.Millisecond,
			Watch: 20 * time.Millisecond, Keep: 100 * time.Millisecond}}
	if change != nil {
		change(&o)
	}
	g := &gateway{network: n}
	if g.Server, err = live.New(o); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	g.Register(mux)
	srv := httptest.NewServer(mux)
	g.url = srv.URL + "/live/video-to-video/"
	t.Cleanup(func() {
		g.Close()
		srv.Close()
		channels.CloseIdleConnections()
		http.DefaultClient.CloseIdleConnections()
	})
	return g
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(20 * time.Second); !ok(); {
		select {
		case <-tick.C:
		case <-late:
			t.Fatal("no ", what)
		}
	}
}
