package live

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/tuttinode/tutti/core/fault"
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

// requestNumber are the bytes of a published stream's number.
const requestNumber = 4

// keepFor is how old a segment may be that the next orchestrator gets after one that has gone in the middle of it.
const keepFor = time.Second

// newStream makes a stream of what its publisher asks for. host is what the publisher calls the gateway.
func (s *Server) newStream(by identity, name, host string, number int, q url.Values) (*stream, error) {
	request, err := s.random(number)
	if err != nil {
		return nil, err
	}
	st := &stream{srv: s, out: newOutput(s.o.Now), done: make(chan struct{}), changed: make(chan struct{}),
		tried: make(chan struct{}), copies: s.copies(request),
		published: published{by: by, name: name, id: q.Get("streamId"), request: request, model: q.Get("pipeline"),
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
		Keep: keepFor, Now: s.o.Now})
	return st, nil
}

// start runs a stream that is known and, alongside it, what reads its input; end ends the publisher's connection.
func (s *Server) start(ctx context.Context, st *stream, read, end func()) {
	if s.background(func() {
		work, outputs, key := make(chan struct{}), make(chan struct{}), make(chan struct{})
		go func() { defer close(work); read() }()
		go func() { defer close(outputs); st.runOutputs(ctx) }()
		go func() { defer close(key); st.watchKey(ctx) }()
		st.run(ctx)
		st.stop(errPublisherGone)
		end()
		<-work
		<-outputs
		<-key
		s.release(st)
	}) {
		return
	}
	st.stop(errStopping)
	close(st.done)
	end()
	s.release(st)
}

// watchKey ends the stream when its publisher's API key is not good any more.
func (s *stream) watchKey(ctx context.Context) {
	if err := s.by.check.Watch(ctx, s.srv.o.Limits.KeyCheck); err != nil {
		s.srv.o.Log.Info("a live stream ends: its API key is not good any more", "stream", s.id, fault.Attr(err))
		s.stop(err)
	}
}

// Publisher is a client that publishes otherwise than by WHIP.
type Publisher struct {
	// Name is the stream's, Addr the client's address, Host what it calls the gateway, Key its API key, "" for none.
	Name, Addr, Host, Key string
	// Unknown is what counts as its address, the zero Prefix for one that the operator knows.
	Unknown netip.Prefix
	// Query is what it asks for, as of WHIP.
	Query url.Values
}

// publisherOf is the publisher of an HTTP request.
func publisherOf(r *http.Request, name string, query url.Values) *Publisher {
	return &Publisher{Name: name, Addr: r.RemoteAddr, Host: r.Host, Query: query}
}

// request is the publisher as the rules for clients know it.
func (p *Publisher) request(ctx context.Context) *http.Request {
	// What the client calls the gateway protects from pages in browsers, which do not speak its protocol.
	r := &http.Request{Method: "PUBLISH", RemoteAddr: p.Addr, Header: make(http.Header), Host: "localhost",
		URL: &url.URL{Path: path + p.Name}}
	if p.Key != "" {
		r.Header.Set("Authorization", "Bearer "+p.Key)
	}
	return r.WithContext(ctx)
}

// Publication is a stream that is published otherwise than by WHIP.
type Publication struct {
	st  *stream
	ctx context.Context
}

// Publish begins a stream. It takes the place of one with the same name and owner. The error is a fault.
func (s *Server) Publish(ctx context.Context, p Publisher) (*Publication, error) {
	if why := checkPublisher(p.Name, p.Query); why != "" {
		return nil, fault.New(fault.PublishAddress, "publish", why)
	}
	by, err := s.mayPublish(p.request(ctx), p.Unknown)
	if err != nil {
		return nil, err
	}
	st, err := s.newStream(by, p.Name, p.Host, requestNumber, p.Query)
	if err != nil {
		return nil, err
	}
	if err := s.admit(ctx, &p, st, kindRTMP, p.Query.Encode()); err != nil {
		return nil, taken(err)
	}
	running, stop := context.WithCancelCause(s.ctx)
	st.stop = stop
	if err := s.add(st); err != nil {
		stop(nil)
		return nil, taken(err)
	}
	st.seg.Touch()
	s.start(running, st, func() { st.awaitSilence(running, stop) }, func() {})
	return &Publication{st: st, ctx: running}, nil
}

// awaitSilence calls stop when the publisher sends no picture.
func (s *stream) awaitSilence(ctx context.Context, stop context.CancelCauseFunc) {
	tick := time.NewTicker(s.srv.o.Limits.Watch)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if last, _, _ := s.seg.Last(); s.srv.o.Now().Sub(last) >= s.srv.o.Limits.InputSilence {
				stop(errNoInput)
			}
		case <-ctx.Done():
			return
		}
	}
}

// Segmenter takes the stream's pictures and sound.
func (p *Publication) Segmenter() *segmenter.Segmenter { return p.st.seg }

// Done is closed when the stream ends; Err says why.
func (p *Publication) Done() <-chan struct{} { return p.ctx.Done() }

// Err is why the stream ended.
func (p *Publication) Err() error {
	if err := context.Cause(p.ctx); !errors.Is(err, errReplaced) {
		return err
	}
	return fault.Wrap(fault.PublishTaken, "publish", errReplaced)
}

// End ends the stream, Close waits until it is over.
func (p *Publication) End() { p.st.stop(errPublisherGone) }

// Close ends the stream and waits until it is over.
func (p *Publication) Close() {
	p.End()
	<-p.st.done
}
