package gateway

import (
	"net/http"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// join finds or begins the push's stream and counts the push in both; the caller leaves both. If a
// hook admits streams, the pusher must be admitted to this one before it takes any shared capacity;
// Errors are the faults StreamsFull, PushesFull,
// AddressBusy, Draining, StreamDenied, StreamHookFailed and Canceled.
func (g *Gateway) join(r *http.Request, client party, req *pushRequest) (*stream, error) {
	if g.pushes.isDraining() {
		return nil, g.pushes.refusal()
	}
	identity, by := g.pusherOf(r, req), ownerOf(r, client)
	s, err := g.rejoin(req.Manifest, identity, by)
	if err != nil {
		return nil, err
	}
	var conf *configuration
	if s == nil && g.opt.AdmissionHook != "" {
		if conf, err = g.admissions.of(r, req, identity); err != nil {
			return nil, err
		}
	}
	if !g.pushes.enter(client) {
		if s != nil {
			s.leave(g.opt.Now())
		}
		return nil, g.pushes.refusal()
	}
	if s != nil {
		return s, nil
	}
	if s, err = g.enter(req.Manifest, identity, conf, by); err != nil {
		g.pushes.leave(client)
		g.opt.Recorder.SessionRefused(string(fault.CodeOf(err)))
	}
	return s, err
}

// rejoin enters a stream to which the pusher was admitted before, nil otherwise.
func (g *Gateway) rejoin(name core.ManifestID, identity pusher, by streamOwner) (*stream, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.streams[name]
	if s == nil || !s.pushers[identity] {
		return nil, nil
	}
	if err := g.claimLocked(s, by); err != nil {
		return nil, err
	}
	s.enter(g.opt.Now())
	return s, nil
}

// claimLocked refuses clients in the stream of a key or of this machine, but for its owner and, with a hook, those
// that it admitted. It takes a stream for these that an unchecked client began. The caller holds g.mu.
func (g *Gateway) claimLocked(s *stream, by streamOwner) error {
	switch {
	case s.claimedBy != "" && (by.from.IsValid() || g.opt.AdmissionHook == "" && s.claimedBy != by.claims):
		return fault.New(fault.StreamDenied, "join stream",
			"the stream is one of the gateway's own machine or of another API key")
	case by.claims == "" || s.claimedBy != "":
		return nil
	case s.party.from.IsValid() && g.takeStreamLocked(by.party):
		g.releaseStreamLocked(s)
		s.party = by.party
	}
	s.claimedBy = by.claims
	return nil
}

// enter enters an admitted pusher into the stream of a name, and begins the stream if there is
// none. conf is the hook's configuration, nil without one.
func (g *Gateway) enter(name core.ManifestID, identity pusher, conf *configuration, by streamOwner) (*stream, error) {
	id := name
	if conf != nil {
		id = core.ManifestID(conf.ManifestID)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.streams[name]
	if s == nil {
		var err error
		if s, err = g.newStreamLocked(name, id, conf, by); err != nil {
			return nil, err
		}
	}
	if s.id != id {
		return nil, fault.New(fault.StreamDenied, "join stream",
			"the admission hook admitted the push to another stream than the one with this name")
	}
	if err := g.claimLocked(s, by); err != nil {
		return nil, err
	}
	if len(s.pushers) >= maxPushers {
		clear(s.pushers) // active pushers are admitted again
	}
	s.pushers[identity] = true
	s.enter(g.opt.Now())
	return s, nil
}

// streamOwner is a client that pushes into a stream or begins it.
type streamOwner struct {
	owner string
	party
	// claims is its key, or this machine, whose programs are one: others may not push into its streams.
	claims string
}

// takeStreamLocked takes a slot for a stream, if there is one. The caller holds g.mu.
func (g *Gateway) takeStreamLocked(by party) bool {
	if by.from.IsValid() {
		return g.uncheckedStreams.Enter(by.from)
	}
	return g.checkedStreams.enter(by.key)
}

// newStreamLocked makes a stream with the hook's configuration. The caller holds g.mu.
func (g *Gateway) newStreamLocked(name, id core.ManifestID, conf *configuration, by streamOwner) (*stream, error) {
	const op = "begin stream"
	for _, other := range g.streams {
		if other.id == id {
			return nil, fault.New(fault.StreamDenied, op, "the admission hook gave this name to another stream")
		}
	}
	if !g.takeStreamLocked(by.party) {
		return nil, fault.New(fault.StreamsFull, op, "the gateway's limit of streams is reached")
	}
	s := &stream{
		id: id, since: g.opt.Now(), gate: make(chan struct{}, g.opt.Limits.PerStream),
		streamClient: streamClient{party: by.party, pushers: make(map[pusher]bool), owner: by.owner,
			shared: g.suspended.For(by.owner)},
		streamState: streamState{requested: *g.ladder.Load()},
	}
	s.pool = videorouting.NewPoolOf[upstream.Info](s.shared, g.choiceFor(by.owner))
	if conf != nil {
		if len(conf.Profiles) > 0 {
			s.requested = conf.Profiles
		}
		s.multiplier, s.reinit = conf.TimeoutMultiplier, conf.Reinit
	}
	g.streams[name] = s
	delete(g.endedUntil, id)
	g.opt.Recorder.StreamCreated(id)
	g.opt.Recorder.Sessions(len(g.streams), g.opt.Limits.Streams)
	g.log.Info("stream begun", "job", id)
	return s, nil
}
