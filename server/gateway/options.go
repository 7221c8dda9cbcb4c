package gateway

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fetchurl"
	"github.com/tuttinode/tutti/core/selectionweights"
	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/server/access"
	"github.com/tuttinode/tutti/server/gateway/hls"
	"github.com/tuttinode/tutti/server/gateway/registry"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// Options make a Gateway. Only Orchestrators, OrchestratorHook or Network must be set.
type Options struct {
	// Addr is where it listens, default 127.0.0.1:9935; Listener replaces it.
	Addr     string
	Listener net.Listener

	// Orchestrators are service URIs (see upstream.ParseAddresses).
	Orchestrators []string
	// OrchestratorHook is a URL that lists orchestrators instead.
	OrchestratorHook string
	// OrchestratorHookHeader is sent to it alone.
	OrchestratorHookHeader http.Header
	// Network knows the orchestrators of the chain, and makes the gateway choose by Selection.
	// Orchestrators are its Fixed ones; with OrchestratorHook its Named must be set. Payments
	// should be wrapped with registry.Directory.CheckPayments. The gateway does not run it.
	Network *registry.Directory
	// AdmissionHook is a URL that is called before a stream begins; "" admits all.
	AdmissionHook string

	// Access decides about pushes and playback, and signs addresses; nil permits everything.
	Access *access.Policy

	// NoPush refuses segments; players are served all the same.
	NoPush bool
	// CurrentPlaylist serves the stream that began last as /stream/current.m3u8.
	CurrentPlaylist bool
	// Profiles are the renditions of streams that request none; default the network's.
	Profiles []core.Profile
	Routing  Routing
	// Selection weighs orchestrators; it is used with Network only.
	Selection Selection
	// LocalVerify checks every result before it is used: its signature, and that renditions have
	// the billed pixels and the requested size.
	LocalVerify bool
	Limits      Limits

	// Tracer makes the spans of segments; nil makes none.
	Tracer *telemetry.Tracer

	Payments upstream.Payments
	// Stores are private networks from which renditions may be fetched if an orchestrator stores
	// them on another host.
	Stores fetchurl.Networks
	// Probe reads what a segment's headers do not tell; nil leaves it unknown.
	Probe MediaProbe
	// AI serves the routes of AI requests; nil has none.
	AI AI
	// Live serves live video; nil has none.
	Live AI
	// Page is served at "/", below the gateway's own routes.
	Page http.Handler

	// SeveralEncoders is called regularly with the streams that several encoders push into, ""
	// without any; may be nil.
	SeveralEncoders func(streams string)
	// Scarce is called when the system has no file descriptor for a connection; may be nil.
	Scarce func(error)

	// Events gets the results of discoveries, Segments what became of each segment; nil sends nothing.
	Events   telemetry.EventSink
	Segments telemetry.Segments
	Recorder core.Recorder
	Log      *slog.Logger
	// Now is the clock, Rand the source of randomness.
	Now  func() time.Time
	Rand io.Reader
}

// AI is a part of a gateway that serves AI requests or live video; aiapi.Server and live.Server implement it.
//
// Register adds its routes. Drain refuses new requests and returns when those in flight are
// answered, or ctx ends; Close ends the rest.
type AI interface {
	Register(mux *http.ServeMux)
	Drain(ctx context.Context) error
	Close()
}

// Routing limits the choice of orchestrators.
type Routing struct {
	// MaxAttempts per segment; default 3.
	MaxAttempts int
	// DiscoveryTimeout is when discovery uses the answers it has; default 500 ms.
	DiscoveryTimeout time.Duration
	// MinVersion is the lowest accepted orchestrator version; "" accepts any.
	MinVersion string
	// Blocked addresses are never used.
	Blocked []core.Address
}

// Selection configures how a gateway on the chain chooses among orchestrators.
type Selection struct {
	// Weights of chance, stake and price; all zero uses the network's.
	Weights selectionweights.Weights
	// MaxPrice is the most that is paid for transcoding, in wei per pixel; a nil function and a nil
	// result accept any price. It may change at run time. IgnoreMaxPrice accepts higher prices when
	// there is no other orchestrator.
	MaxPrice       func() *big.Rat
	IgnoreMaxPrice bool
	// MinPerfScore excludes orchestrators with a lower score, from 0 to 1. Score is a service's
	// score of an orchestrator; without one, or if the function is nil, the gateway's own
	// measurements count.
	MinPerfScore float64
	Score        func(orchestrator core.Address) (score float64, ok bool)
	// Overruled is called when the service's scores leave none of the orchestrators that answer, so that the
	// gateway goes by its own measurements; nil is not called.
	Overruled func()
}

// Limits protect the gateway's resources. Zero fields get defaults.
type Limits struct {
	// Streams at once; default 1000.
	Streams int
	// Pushes is the number of concurrent segments, Bytes the memory of their bodies and renditions;
	// defaults 256 and 1 GB.
	Pushes int
	Bytes  int64
	// PerStream is the number of one stream's segments that are at orchestrators at once; default
	// 4, the length of an orchestrator's queue.
	PerStream int
	// Connections at once; the longest idle one is closed for a new one. Default 20000, or what the
	// limit on open files allows.
	Connections int
	// PerAddress is how many requests of one address are read at once (admission.Options); 0 is
	// unlimited.
	PerAddress int
	// Known are networks whose addresses have higher limits (admission.Options).
	Known []netip.Prefix
	// Watchers of events at once; default 256.
	Watchers int
	// Window bounds what is kept for players.
	Window hls.Limits
	// SweepEvery is the interval of checks for idle streams; default 1 s.
	SweepEvery time.Duration
	// BodyIdle is how long a client may send nothing in the middle of a segment, or read nothing of
	// an answer; default 15 s.
	BodyIdle time.Duration
}

func (l Limits) withDefaults() Limits {
	orElse := func(v *int, d int) {
		if *v <= 0 {
			*v = d
		}
	}
	orElse(&l.Streams, 1000)
	orElse(&l.Pushes, 256)
	orElse(&l.PerStream, 4)
	orElse(&l.Connections, openFiles()*8/10)
	orElse(&l.Watchers, 256)
	if l.Bytes <= 0 {
		l.Bytes = DefaultBytes
	}
	if l.SweepEvery <= 0 {
		l.SweepEvery = time.Second
	}
	if l.BodyIdle <= 0 {
		l.BodyIdle = 15 * time.Second
	}
	return l
}

// DefaultBytes is the memory limit of the bodies and renditions of segments.
const DefaultBytes = 1 << 30

// defaultAddr is the network's port for clients, on loopback.
const defaultAddr = "127.0.0.1:9935"

func (o Options) withDefaults() (Options, error) {
	if o.Addr == "" {
		o.Addr = defaultAddr
	}
	if len(o.Profiles) == 0 {
		p, err := core.ParsePresets(core.DefaultPresets)
		if err != nil {
			return o, err
		}
		o.Profiles = p
	}
	if o.Routing.MaxAttempts <= 0 {
		o.Routing.MaxAttempts = 3
	}
	if o.Selection.Weights == (selectionweights.Weights{}) {
		o.Selection.Weights = selectionweights.DefaultWeights()
	}
	if o.Payments == nil {
		o.Payments = upstream.FreePayments{}
	}
	if o.Recorder == nil {
		o.Recorder = core.NopRecorder{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	o.Limits = o.Limits.withDefaults()
	return o, nil
}
