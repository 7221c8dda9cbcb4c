package live

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pion/webrtc/v4"
)

func newClosing(t *testing.T) *Server {
	t.Helper()
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{Conn: conn, Now: time.Now, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Close waits for all that has begun, and nothing begins after it.
func TestCloseWaitsForWhatBegins(t *testing.T) {
	t.Parallel()
	for range 200 {
		s := newClosing(t)
		var running atomic.Int32
		begun := make(chan struct{})
		go func() {
			defer close(begun)
			for s.background(func() { running.Add(1); <-s.ctx.Done(); running.Add(-1) }) {
			}
		}()
		s.Close()
		<-begun
		if n := running.Load(); n != 0 {
			t.Fatal(n, "run after Close")
		}
		if s.background(func() {}) {
			t.Fatal("something began after Close")
		}
	}
}

// A publisher that comes while the gateway closes is left without a connection.
func TestAPublisherWhileTheGatewayCloses(t *testing.T) {
	t.Parallel()
	s := newClosing(t)
	st, err := s.newStream(identity{}, "cam", "localhost", requestNumber, nil)
	if err != nil {
		t.Fatal(err)
	}
	in, _, err := s.accept(publisherOffer(t))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancelCause(s.ctx)
	st.stop = stop
	s.Close() // after the stream was added, before it starts
	s.start(ctx, st, func() { t.Error("it is read") }, func() { _ = in.pc.Close() })
	if c := in.pc.ConnectionState(); c != webrtc.PeerConnectionStateClosed || !st.over() {
		t.Error(c)
	}
}
