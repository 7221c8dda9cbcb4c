package srt

import (
	"context"
	"log/slog"
	"net"
	"testing"
	"time"

	srtlib "github.com/datarhei/gosrt"

	"github.com/tuttinode/tutti/core/fault"
)

// A node may drain while clients come: the drain ends when the port is closed and no client is served, and so does
// the server.
func TestDrainWhileClientsCome(t *testing.T) {
	t.Parallel()
	for range 10 {
		listening := make(chan string, 1)
		s := New(Options{Addr: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler),
			Listening: func(addr string) { listening <- addr }})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.Run(ctx, func() {}) }()
		addr := <-listening
		c := srtlib.DefaultConfig()
		c.StreamId, c.ConnectionTimeout = "publish:", 100*time.Millisecond // names no stream
		refused := make(chan error, 1)
		go func() {
			conn, err := srtlib.Dial("srt", addr, c)
			if err == nil {
				_ = conn.Close() // it is refused elsewhere
			}
			refused <- err
		}()
		within, late := context.WithTimeout(ctx, 20*time.Second)
		if err := s.Drain(within); err != nil {
			t.Error("drain", err)
		}
		free, err := net.ListenPacket("udp4", addr)
		if err != nil {
			t.Fatal("the port is in use after the drain: ", err)
		}
		_ = free.Close() // it was only tried
		if err := <-refused; err == nil {
			t.Error("a client without a stream was served")
		}
		late()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// A port that is in use is a fault that names it.
func TestThePortIsInUse(t *testing.T) {
	t.Parallel()
	taken, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	s := New(Options{Addr: taken.LocalAddr().String(), Log: slog.New(slog.DiscardHandler)})
	if err := s.Run(t.Context(), func() { t.Error("ready") }); fault.CodeOf(err) != fault.ListenFailed {
		t.Error(err)
	}
	if err := s.Drain(t.Context()); err != nil {
		t.Error(err)
	}
}

// hoarder is a client of whose packets many are not due yet.
type hoarder struct {
	srtlib.Conn
	packets, bytes, acks uint64
	rtt                  float64
}

func (h *hoarder) Stats(s *srtlib.Statistics) {
	s.Instantaneous.PktRecvBuf, s.Instantaneous.ByteRecvBuf = h.packets, h.bytes
	s.Instantaneous.MsRTT = h.rtt
	s.Accumulated.PktSentACK += h.acks
	h.acks *= 2
}

// A client that sends for later is ended when that takes too much memory, however few bytes its packets have, and so is
// one that leaves acknowledgements unanswered.
func TestClientsThatSendForLater(t *testing.T) {
	t.Parallel()
	s := New(Options{Log: slog.New(slog.DiscardHandler)})
	for name, h := range map[string]*hoarder{
		"large packets":         {packets: 50_000, bytes: 50_000 * 1316},
		"small packets":         {packets: 100_000, bytes: 100_000},
		"acknowledgements":      {acks: 1000, rtt: 100},
		"late acknowledgements": {acks: 1, rtt: maxRTT + 1},
	} {
		ctx, end := context.WithCancelCause(t.Context())
		over := make(chan struct{})
		watched := make(chan struct{})
		go func() { defer close(watched); s.watch(h, end, over) }()
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Second):
			t.Error(name, "are kept")
		}
		if got := fault.CodeOf(context.Cause(ctx)); got != fault.PublishProtocol {
			t.Error(name, got)
		}
		close(over)
		<-watched
	}
	if (&buffers{}).set(&hoarder{}, 4000) {
		t.Error("what an encoder sends in some hundred milliseconds is too much")
	}
}
