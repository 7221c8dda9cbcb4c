package ingest

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
		s := NewSRT(SRTOptions{Addr: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler),
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
	s := NewSRT(SRTOptions{Addr: taken.LocalAddr().String(), Log: slog.New(slog.DiscardHandler)})
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
	// again is how many packets came again since the last look.
	again, dropped uint64
	rtt            float64
}

func (h *hoarder) Stats(s *srtlib.Statistics) {
	s.Instantaneous.PktRecvBuf, s.Instantaneous.ByteRecvBuf = h.packets, h.bytes
	s.Instantaneous.MsRTT = h.rtt
	s.Accumulated.PktSentACK += h.acks
	h.acks *= 2
	h.dropped += h.again
	s.Accumulated.PktRecvDrop = h.dropped
}

// after are the statistics of a client of whose packets so many were missed so far.
func (h *hoarder) after(missed uint64) *srtlib.Statistics {
	var s srtlib.Statistics
	s.Instantaneous.PktRecvBuf, s.Accumulated.PktRecvLoss = h.packets, missed
	return &s
}

// A client that sends for later is ended when that takes too much memory, however few bytes its packets have, and so is
// one that leaves acknowledgments unanswered, or sends again and again what is kept.
func TestClientsThatSendForLater(t *testing.T) {
	t.Parallel()
	s := NewSRT(SRTOptions{Log: slog.New(slog.DiscardHandler)})
	for name, h := range map[string]*hoarder{
		"large packets":        {packets: 50_000, bytes: 50_000 * 1316},
		"small packets":        {packets: 100_000, bytes: 100_000},
		"acknowledgments":      {acks: 1000, rtt: 100},
		"late acknowledgments": {acks: 1, rtt: maxRTT + 1},
		"packets again":        {packets: 30_000, again: 300},
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
	if (&srtBuffers{}).set(&hoarder{}, 4000) {
		t.Error("what an encoder sends in some hundred milliseconds is too much")
	}
	var a srtAnswers
	var acked srtlib.Statistics
	if acked.Accumulated.PktSentACK = 1000; a.missing(&acked) {
		t.Error("ten seconds without an answer are too much")
	}
	if acked.Accumulated.PktSentACK = 2000; !a.missing(&acked) {
		t.Error("twenty seconds without an answer are not too much")
	}
	var w srtWork
	for range 1000 { // of 10 000 packets a second one in twenty, with two seconds of them kept
		if h := (&hoarder{packets: 20_000}); w.tooMuch(h.after(w.late + 100)) {
			t.Fatal("what a bad line loses is too much")
		}
	}
}
