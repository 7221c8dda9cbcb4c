package gateway

import (
	"context"
	"net/http"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/route"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// join finds or begins the push's stream and enters it; the caller leaves it.
// Errors are faults StreamsFull, StreamDenied, StreamHookFailed and Canceled.
func (g *Gateway) join(ctx context.Context, req *pushRequest, r *http.Request) (*stream, error) {
	s, begun, err := g.enter(req.Manifest)
	if err != nil {
		g.opt.Recorder.SessionRefused(string(fault.CodeOf(err)))
		return nil, err
	}
	if begun {
		// Other segments of the stream wait for the hook's answer, so it must not
		// depend on this one's client.
		hookCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), hookTimeout)
		defer cancel()
		g.admitStream(hookCtx, s, req, r)
	}
	select {
	case <-s.admitted:
	case <-ctx.Done():
		s.leave(g.opt.Now())
		return nil, fault.Wrap(fault.Canceled, "join stream", ctx.Err())
	}
	if s.admitErr != nil {
		s.leave(g.opt.Now())
		return nil, s.admitErr
	}
	return s, nil
}

// enter looks a stream up, or makes one that still waits to be admitted.
func (g *Gateway) enter(id core.ManifestID) (s *stream, begun bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.opt.Now()
	s = g.streams[id]
	if s == nil {
		if len(g.streams) >= g.opt.Limits.Streams {
			return nil, false, fault.New(fault.StreamsFull, "begin stream", "the gateway's limit of streams is reached")
		}
		s = &stream{
			id: id, since: now, asked: *g.ladder.Load(), admitted: make(chan struct{}),
			pool: route.NewPoolOf[upstream.Info](&g.suspended, g.choice), gate: make(chan struct{}, g.opt.Limits.PerStream),
		}
		g.streams[id] = s
		begun = true
	}
	s.enter(now)
	return s, begun, nil
}

// admitStream asks the hook about a new stream and lets those who wait go on.
func (g *Gateway) admitStream(ctx context.Context, s *stream, req *pushRequest, r *http.Request) {
	conf, err := g.admit(ctx, "http://"+r.Host+r.URL.RequestURI())
	g.mu.Lock()
	if err == nil && conf != nil {
		err = g.adopt(s, conf)
	}
	if err != nil {
		delete(g.streams, req.Manifest)
	} else {
		delete(g.lingering, s.id)
		s.live = true
	}
	n := len(g.streams)
	g.mu.Unlock()
	s.admitErr = err
	if err != nil {
		g.opt.Recorder.SessionRefused(string(fault.CodeOf(err)))
		g.log.Warn("stream refused", "job", s.id, fault.Attr(err))
	} else {
		g.opt.Recorder.StreamCreated(s.id)
		g.opt.Recorder.Sessions(n, g.opt.Limits.Streams)
		g.log.Info("stream begun", "job", s.id)
	}
	close(s.admitted)
}

// adopt gives a new stream the hook's name and wishes. The caller holds g.mu.
func (g *Gateway) adopt(s *stream, conf *configuration) error {
	id := core.ManifestID(conf.ManifestID)
	for _, other := range g.streams {
		if other != s && other.id == id {
			return fault.New(fault.StreamDenied, "admit stream", "the admission hook gave the name of another stream")
		}
	}
	s.id = id
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(conf.Profiles) > 0 {
		s.asked = conf.Profiles
	}
	s.multiplier, s.reinit = conf.TimeoutMultiplier, conf.Reinit
	return nil
}
