package gateway

import (
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/server/gateway/hls"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// stream is the state of one manifest between its segments.
type stream struct {
	// id is the stream's name for the network and players. The admission hook may choose it.
	id core.ManifestID
	streamClient
	since time.Time
	pool  *videorouting.Pool[upstream.Info]
	order hls.Order
	// gate bounds the segments at orchestrators, first come, first served.
	gate chan struct{}
	feed feed
	// encoders detects several encoders.
	encoders encoders
	// sha256: the orchestrator of the last attempt takes segments hashed with SHA-256.
	sha256 atomic.Bool
	streamSearch
	streamState
}

// streamClient is what a stream counts for, and what its owner's streams know of orchestrators.
type streamClient struct {
	// pushers are those that the admission hook admitted to the stream; guarded by Gateway.mu.
	pushers map[pusher]bool
	// party is what it counts for, claimedBy the key or this machine that it is of. Guarded by Gateway.mu.
	party     party
	claimedBy string
	// owner is the client that began it; shared is what its streams know of failing orchestrators.
	owner  string
	shared videorouting.Shared
}

// streamSearch is a stream's search for orchestrators.
type streamSearch struct {
	// discoverMu guards the search for orchestrators.
	discoverMu sync.Mutex
	search     *search
	searched   time.Time
}

// streamState is what segments change.
type streamState struct {
	// mu guards what follows.
	mu         sync.Mutex
	requested  []core.Profile // as configured, without format
	profiles   []core.Profile // as sent
	keys       []string
	multiplier int
	last       *input
	// reinit: the source changed, and no orchestrator was notified yet.
	reinit bool
	// described: the playlists have the real sizes.
	described bool
	succeeded bool
	inFlight  int
	lastSeen  time.Time
}

// hashing returns the algorithm that the next segment is hashed with while it arrives: what the last
// orchestrator takes, and the network's, which all take, for the first segment.
func (s *stream) hashing() signature.Algorithm {
	if s.sha256.Load() {
		return signature.SHA256
	}
	return signature.Keccak
}

// plan is the output of one segment; it does not change with the stream.
type plan struct {
	profiles   []core.Profile
	keys       []string
	multiplier int
}

// configure applies a push's configuration and returns the plan for its segment. changed says that
// the renditions differ from the previous ones.
func (s *stream) configure(conf *configuration, format core.Format) (p plan, changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if conf != nil {
		if len(conf.Profiles) > 0 {
			s.requested = conf.Profiles
		}
		if conf.TimeoutMultiplier > 0 {
			s.multiplier = conf.TimeoutMultiplier
		}
		s.reinit = s.reinit || conf.Reinit
	}
	profiles := renditions(s.requested, format)
	if !slices.Equal(profiles, s.profiles) {
		changed, s.described = true, false
		s.profiles = profiles
		names := make([]string, len(profiles))
		for i := range profiles {
			names[i] = profiles[i].Name
		}
		s.keys = hls.Keys(names)
	}
	return plan{profiles: s.profiles, keys: s.keys, multiplier: s.multiplier}, changed
}

// renditions returns the profiles as they are sent: in the input's container, and with unique names,
// since names are paths at the orchestrator.
func renditions(asked []core.Profile, format core.Format) []core.Profile {
	out := slices.Clone(asked)
	taken := make(map[string]bool, len(out))
	for i := range out {
		out[i].Format = format
		name := out[i].Name
		for n := 2; taken[out[i].Name]; n++ {
			out[i].Name = name + "_" + strconv.Itoa(n)
		}
		taken[out[i].Name] = true
	}
	return out
}

// variants returns the stream's files for players, the source and then the renditions, as far as known
// before the first segment.
func (p *plan) variants(req *pushRequest) []hls.Variant {
	out := []hls.Variant{{Key: hls.SourceKey, Format: req.Format, Width: req.Width, Height: req.Height}}
	for i, r := range p.profiles {
		v := hls.Variant{Key: p.keys[i], Format: r.Format, Width: r.Width, Height: r.Height, Bitrate: r.Bitrate}
		if num, den := r.FPS.Norm(); !r.FPS.Passthrough() {
			v.FPS = float64(num) / float64(den)
		}
		out = append(out, v)
	}
	return out
}

// updateInput compares a segment's input with the previous one and reports whether orchestrators
// must be notified of a change.
func (s *stream) updateInput(in *input) (reinit bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil || !in.noFrame() && !in.headers.Same(s.last.headers) {
		s.described = false
	}
	if s.last != nil && !in.noFrame() && in.changed(s.last) {
		s.reinit = true
	}
	if !in.noFrame() || s.last == nil {
		s.last = in
	}
	return s.reinit
}

// describeNow reports, once after each change, that a segment should be inspected to describe the
// stream to players.
func (s *stream) describeNow() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	due := !s.described
	s.described = true
	return due
}

func (s *stream) lastInput() *input {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// recordSuccess records a success; reinit says that the orchestrator was notified of the changed
// source.
func (s *stream) recordSuccess(reinit bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.succeeded = true
	if reinit {
		s.reinit = false
	}
}

func (s *stream) hasSucceeded() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.succeeded
}

// idle reports whether the stream had no segment for StreamIdle.
func (s *stream) idle(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inFlight == 0 && now.Sub(s.lastSeen) >= videorouting.StreamIdle
}

func (s *stream) enter(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight++
	s.lastSeen = now
}

func (s *stream) leave(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight--
	s.lastSeen = now
}

// wants returns the requirements of the stream's segments on an orchestrator.
func (g *Gateway) wants(p *plan, in *input) *videorouting.Wants {
	return &videorouting.Wants{
		Blocked: g.opt.Routing.Blocked,
		Capabilities: capability.ForJob(capability.Job{
			InputCodec: videoCodecs[in.VideoCodec], PixelFormat: in.PixelFormat,
			Profiles: p.profiles, HTTPPush: true, MinVersion: g.opt.Routing.MinVersion,
		}),
	}
}
