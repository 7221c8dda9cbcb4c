package livevideo

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/trickle"
)

const (
	// maxSegment bounds a segment that is read over HTTP, in bytes; the rest of a longer one is left out.
	maxSegment = 32 << 20
	// closeTime bounds the closing of channels over HTTP.
	closeTime = 2 * time.Second
)

// SegmentReader reads whole segments, one after another.
type SegmentReader interface {
	Next(ctx context.Context) (data []byte, number int64, err error)
}

// SegmentWriter writes whole segments. Put may be called by several goroutines.
type SegmentWriter interface {
	Put(data []byte) error
	// Done is closed when the channel is.
	Done() <-chan struct{}
}

// RunnerChannels are a session's channels from the runner's side.
type RunnerChannels struct {
	In, Control SegmentReader
	Out, Events SegmentWriter
	// Close gives them up when the work is over.
	Close func()
}

// ChannelOpener finds the channels of a session. What is written from then on is not missed.
type ChannelOpener func(r *RunnerRequest) (RunnerChannels, error)

// HubChannels opens channels of this process. The hub's owner closes them.
func HubChannels(hub *trickle.Hub) ChannelOpener {
	return func(r *RunnerRequest) (RunnerChannels, error) {
		in, control := hub.Channel(r.ID), hub.Channel(r.ID+controlSuffix)
		out, events := hub.Channel(r.ID+outSuffix), hub.Channel(r.ID+eventsSuffix)
		if in == nil || control == nil || out == nil || events == nil {
			return RunnerChannels{}, fault.New(fault.Canceled, "start the sample pipeline", "the channels are closed")
		}
		return RunnerChannels{
			In: in.Subscribe(), Control: control.Subscribe(), Out: out, Events: events, Close: func() {},
		}, nil
	}
}

// HTTPChannels opens channels of an orchestrator on another machine; by is the client for its URLs.
func HTTPChannels(by func(url string) *http.Client) ChannelOpener {
	return func(r *RunnerRequest) (RunnerChannels, error) {
		ctx, cancel := context.WithCancel(context.Background())
		// A new session's channels begin with segment 0.
		o := trickle.ClientOptions{Client: by(r.Subscribe), FromStart: true}
		in := &httpReader{trickle.NewSubscriber(r.Subscribe, o)}
		control := &httpReader{trickle.NewSubscriber(r.Control, o)}
		out := &httpWriter{ctx: ctx, p: trickle.NewPublisher(r.Publish, o)}
		events := &httpWriter{ctx: ctx, p: trickle.NewPublisher(r.Events, o)}
		return RunnerChannels{In: in, Control: control, Out: out, Events: events, Close: func() {
			in.s.Close()
			control.s.Close()
			closing, over := context.WithTimeout(ctx, closeTime)
			defer over()
			// Channels that the orchestrator has closed already cannot be closed again.
			_ = out.p.Close(closing)
			_ = events.p.Close(closing)
			cancel()
		}}, nil
	}
}

type httpReader struct{ s *trickle.Subscriber }

// Next reads a segment to its end. One that broke off is empty.
func (r *httpReader) Next(ctx context.Context) ([]byte, int64, error) {
	in, err := r.s.Next(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, maxSegment))
	if err != nil {
		return nil, in.Number, ctx.Err()
	}
	return data, in.Number, nil
}

type httpWriter struct {
	ctx context.Context
	mu  sync.Mutex
	p   *trickle.Publisher
}

// Put writes a segment without waiting for the channel to take it.
func (w *httpWriter) Put(data []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, err := w.p.Next(w.ctx)
	if err != nil {
		return err
	}
	if _, err := s.Write(data); err != nil {
		s.Drop()
		return err
	}
	return s.Close()
}

// Done is closed when the channel is.
func (w *httpWriter) Done() <-chan struct{} { return w.p.Ended() }
