package ingest

import (
	"context"
	"log/slog"
	"net"
	"testing"
	"time"
)

// A node may drain as soon as the server is ready: the drain ends, and so does the server.
func TestDrainAtOnce(t *testing.T) {
	t.Parallel()
	for i := range 50 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		s := NewRTMP(RTMPOptions{Listener: l, AwaitPort: i%2 == 0, Log: slog.New(slog.DiscardHandler)})
		ctx, cancel := context.WithCancel(t.Context())
		ready, ended := make(chan struct{}), make(chan error, 1)
		go func() { ended <- s.Run(ctx, func() { close(ready) }) }()
		<-ready
		within, late := context.WithTimeout(ctx, 20*time.Second)
		if err := s.Drain(within); err != nil {
			t.Error("drain", err)
		}
		if c, err := net.Dial("tcp", l.Addr().String()); err == nil {
			_ = c.Close() // it was not served
			t.Error("a server that drained listens")
		}
		late()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
