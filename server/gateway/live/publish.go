package live

import (
	"context"
	"encoding/json"
	"net/url"
	"time"

	"github.com/tuttinode/tutti/server/gateway/segmenter"
)

// checkPublisher says what is wrong with what a publisher asks for, "" for nothing.
func checkPublisher(name string, q url.Values) string {
	params := q.Get("params")
	switch {
	case params != "" && !json.Valid([]byte(params)) || len(params) > maxParams:
		return textParams
	case !named(name, maxName) || !named(q.Get("streamId"), maxName) || !named(q.Get("pipeline"), maxName):
		return textMalformed
	case !validOutputs(outputURLs(q)):
		return textOutput
	}
	return ""
}

// newStream makes a stream of what its publisher asks for. host is what the publisher calls the gateway.
func (s *Server) newStream(name, host string, q url.Values) (*stream, error) {
	request, err := s.random(4)
	if err != nil {
		return nil, err
	}
	st := &stream{srv: s, out: newOutput(s.o.Now), done: make(chan struct{}), changed: make(chan struct{}),
		tried: make(chan struct{}), copies: s.copies(request),
		published: published{name: name, id: q.Get("streamId"), request: request, model: q.Get("pipeline"),
			params: json.RawMessage(q.Get("params")), only: q.Get("orchestrator"), outputs: outputURLs(q)}}
	if st.id == "" {
		st.id = name
	}
	base := s.o.PlaybackURL
	if base == "" {
		base = "http://" + host + path
	}
	st.playURL = base + name + "-" + request + "-out/whep"
	st.seg = segmenter.New(segmenter.Options{Least: s.o.Limits.MinSegment, LeastWall: s.o.Limits.MinSegment,
		Now: s.o.Now})
	return st, nil
}

// start runs a stream that is known and, beside it, what reads its input; end ends the publisher's connection.
func (s *Server) start(ctx context.Context, st *stream, read, end func()) {
	if s.background(func() {
		work := make(chan struct{})
		go func() { defer close(work); read() }()
		st.run(ctx)
		st.stop(errPublisherGone)
		end()
		<-work
	}) {
		return
	}
	st.stop(errStopping)
	close(st.done)
}

// awaitSilence ends the stream when its publisher sends no picture.
func (s *stream) awaitSilence(ctx context.Context) {
	tick := time.NewTicker(s.srv.o.Limits.Watch)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if last, _, _ := s.seg.Last(); s.srv.o.Now().Sub(last) >= s.srv.o.Limits.InputSilence {
				s.stop(errNoInput)
			}
		case <-ctx.Done():
			return
		}
	}
}
