package orchestrate

import (
	"cmp"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/requeststats"
	"github.com/tuttinode/tutti/pm"
)

// Rules of the protocol, and the defaults of options.
const (
	// QueueLength is how many segments of one session may wait while one is transcoded.
	QueueLength = 4
	// TokenLife is how long an auth token, and the price in it, is valid.
	TokenLife = pm.QuoteLife
	// DefaultLimit is the session limit where none is set.
	DefaultLimit = 10
	// DefaultResultBytes is the memory limit of the renditions kept for download.
	DefaultResultBytes = 512 << 20
	// DefaultDrainAccept is how long a stopping node still takes segments of existing
	// sessions.
	DefaultDrainAccept = 8 * time.Second
	// DefaultJobWait is how long a job of another implementation's gateway waits for a
	// slot of a loaded model: such a gateway tries another node only within 2 s.
	DefaultJobWait = 1500 * time.Millisecond
	// DefaultNodeWait is the same for a gateway of this implementation.
	DefaultNodeWait = 30 * time.Second
	// DefaultArtifactBytes is the memory limit of the AI outputs kept for download.
	DefaultArtifactBytes = 512 << 20
)

// Options are what an Orchestrator is built from.
type Options struct {
	// ServiceURI is the advertised address, scheme://host:port, without a path; see
	// SetServiceURI.
	ServiceURI string
	// Capabilities is the present offer; it may change while the node runs.
	Capabilities func() capability.Capabilities

	// LiveWork: the node has live runners, whose clients do not ask for an offer.
	LiveWork bool
	// Transcoder is nil on a node that only does AI.
	Transcoder core.Transcoder
	// Payments is nil off-chain, where all work is free. It needs Signatures, because a
	// payment is credited to the account that signed the request.
	Payments Payments
	// Live takes the payment of live work; nil off-chain.
	Live LivePayments
	// LiveInterval is how often live work is charged, DefaultLiveInterval when 0. Elapsed is the
	// clock that it is charged by, which nothing sets: the time since some moment. With nil, it is the
	// monotonic part of Now.
	LiveInterval time.Duration
	Elapsed      func() time.Duration
	// Signatures is nil off-chain.
	Signatures Signatures
	// TokenSecret signs auth tokens. On-chain it is the ledger's, so that tokens outlive
	// the process; zero generates a new one.
	TokenSecret pm.Secret
	// L1Block is the latest layer-1 block. It is used to renew a gateway's ticket
	// parameters before they expire; nil never renews them.
	L1Block func() protocol.L1Block
	// GatewayHook decides which gateways get offers; nil admits all.
	GatewayHook GatewayHook
	// Admitter decides in addition to the limit; nil admits everything within it.
	Admitter Admitter
	// Recorder is core.NopRecorder when nil.
	Recorder core.Recorder

	// Board shows the condition OrchestratorCapped; may be nil.
	Board *health.Board

	// RequestStats counts requests and their answers; nil counts nothing.
	RequestStats *requeststats.Counter

	// Worker runs AI jobs; nil is a node without AI.
	Worker inference.Worker
	// Inference is inference.NopRecorder when nil.
	Inference inference.Recorder
	// PromptRatio is how many prompt tokens each paid token of an answer allows, in addition
	// to freePromptTokens; 0 is no limit.
	PromptRatio int64
	// Media measures audio; with nil, audio is refused.
	Media pipeline.MediaProbe
	// JobWait and NodeWait limit the wait for a slot, DefaultJobWait and DefaultNodeWait
	// when 0. The wait for the loading of a model has no limit but the request's.
	JobWait, NodeWait time.Duration
	// ArtifactBytes is DefaultArtifactBytes when 0.
	ArtifactBytes int64

	// Origin identifies the ordering node in renditions: its address, or "offchain", which
	// is the default.
	Origin string

	// Limit is the maximum number of sessions; 0 leaves it to the Admitter.
	Limit int
	// ResultBytes is the memory limit of the renditions kept for download,
	// DefaultResultBytes when 0.
	ResultBytes int64
	// DrainAccept is DefaultDrainAccept when 0.
	DrainAccept time.Duration

	// Now and Rand are the clock and the source of secrets and session ids.
	Now  func() time.Time
	Rand io.Reader
	Log  *slog.Logger
}

// complete checks the required options and sets the defaults.
func (opt *Options) complete() error {
	uri, err := serviceURI(opt.ServiceURI)
	switch {
	case err != nil:
		return err
	case opt.Transcoder == nil && opt.Worker == nil && !opt.LiveWork:
		return errors.New("no transcoder and no AI worker")
	case opt.Capabilities == nil:
		return errors.New("no capabilities")
	case opt.Payments != nil && opt.Signatures == nil:
		return errors.New("payments without signatures")
	case opt.Now == nil || opt.Rand == nil || opt.Log == nil:
		return errors.New("clock, randomness and log must be given")
	}
	opt.ServiceURI = uri
	opt.defaults()
	return nil
}

func (opt *Options) defaults() {
	if opt.Recorder == nil {
		opt.Recorder = core.NopRecorder{}
	}
	if opt.Inference == nil {
		opt.Inference = inference.NopRecorder{}
	}
	opt.Origin = cmp.Or(opt.Origin, "offchain")
	opt.LiveInterval = cmp.Or(opt.LiveInterval, DefaultLiveInterval)
	if opt.Elapsed == nil {
		now, start := opt.Now, opt.Now()
		opt.Elapsed = func() time.Duration { return now().Sub(start) }
	}
	opt.ResultBytes = cmp.Or(opt.ResultBytes, DefaultResultBytes)
	opt.ArtifactBytes = cmp.Or(opt.ArtifactBytes, DefaultArtifactBytes)
	opt.DrainAccept = cmp.Or(opt.DrainAccept, DefaultDrainAccept)
	opt.JobWait = cmp.Or(opt.JobWait, DefaultJobWait)
	opt.NodeWait = cmp.Or(opt.NodeWait, DefaultNodeWait)
}
