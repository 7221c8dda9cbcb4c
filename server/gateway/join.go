package gateway

import (
	"net/http"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// join finds or begins the push's stream and enters it and the pushes; the caller leaves
// both. Where a hook admits streams, the pusher was admitted to this one, and has no part
// in what is bounded for all before it is. Errors are faults StreamsFull, PushesFull,
// AddressBusy, Draining, StreamDenied, StreamHookFailed and Canceled.
func (g *Gateway) join(r *http.Request, key string, req *pushRequest) (*stream, error) {
	if g.pushes.isDraining() {
		return nil, g.pushes.why()
	}
	who := g.pusherOf(r, req)
	s := g.rejoin(req.Manifest, who)
	var conf *configuration
	if s == nil && g.opt.AdmissionHook != "" {
		var err error
		if conf, err = g.admissions.of(r, req, who); err != nil {
			return nil, err
		}
	}
	if !g.pushes.enter() {
		if s != nil {
			s.leave(g.opt.Now())
		}
		return nil, g.pushes.why()
	}
	if s != nil {
		return s, nil
	}
	s, err := g.enter(req.Manifest, who, conf, ownerOf(r, key))
	if err != nil {
		g.pushes.leave()
		g.opt.Recorder.SessionRefused(string(fault.CodeOf(err)))
	}
	return s, err
}

// rejoin enters a stream to which the pusher was admitted before, nil where it was not.
func (g *Gateway) rejoin(name core.ManifestID, who pusher) *stream {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.streams[name]
	if s == nil || !s.pushers[who] {
		return nil
	}
	s.enter(g.opt.Now())
	return s
}

// enter has an admitted pusher enter the stream that is pushed under a name, and begins
// it where there is none. conf is what the hook said, nil for nothing; owner is the client
// that begins it.
func (g *Gateway) enter(name core.ManifestID, who pusher, conf *configuration, owner string) (*stream, error) {
	id := name
	if conf != nil {
		id = core.ManifestID(conf.ManifestID)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.streams[name]
	if s == nil {
		var err error
		if s, err = g.newStream(name, id, conf, owner); err != nil {
			return nil, err
		}
	}
	if s.id != id {
		return nil, fault.New(fault.StreamDenied, "join stream", "the admission hook admitted the push to another stream than the one of this name")
	}
	if len(s.pushers) >= maxPushers {
		clear(s.pushers) // those that go on are asked about again
	}
	s.pushers[who] = true
	s.enter(g.opt.Now())
	return s, nil
}

// newStream makes a stream with the hook's wishes. The caller holds g.mu.
func (g *Gateway) newStream(name, id core.ManifestID, conf *configuration, owner string) (*stream, error) {
	const op = "begin stream"
	if len(g.streams) >= g.opt.Limits.Streams {
		return nil, fault.New(fault.StreamsFull, op, "the gateway's limit of streams is reached")
	}
	for _, other := range g.streams {
		if other.id == id {
			return nil, fault.New(fault.StreamDenied, op, "another stream has this name by the admission hook")
		}
	}
	s := &stream{
		id: id, since: g.opt.Now(), asked: *g.ladder.Load(), pushers: make(map[pusher]bool),
		shared: g.suspended.For(owner), gate: make(chan struct{}, g.opt.Limits.PerStream),
	}
	s.pool = videorouting.NewPoolOf[upstream.Info](s.shared, g.choice)
	if conf != nil {
		if len(conf.Profiles) > 0 {
			s.asked = conf.Profiles
		}
		s.multiplier, s.reinit = conf.TimeoutMultiplier, conf.Reinit
	}
	g.streams[name] = s
	delete(g.lingering, id)
	g.opt.Recorder.StreamCreated(id)
	g.opt.Recorder.Sessions(len(g.streams), g.opt.Limits.Streams)
	g.log.Info("stream begun", "job", id)
	return s, nil
}
