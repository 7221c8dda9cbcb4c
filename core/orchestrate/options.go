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

// Rules of the protocol, and the defaults of what an operator may set.
const (
	// QueueLength is how many segments of one session may wait behind the one
	// that is being transcoded.
	QueueLength = 4
	// TokenLife is how long an offer's auth token opens a session.
	TokenLife = 30 * time.Minute
	// DefaultLimit is the session limit where none is set.
	DefaultLimit = 10
	// DefaultResultBytes bounds the renditions kept for download.
	DefaultResultBytes = 512 << 20
	// DefaultDrainAccept is how long a stopping node still takes segments of the
	// sessions that it has.
	DefaultDrainAccept = 8 * time.Second
	// DefaultJobWait is how long a gateway of the existing network waits for a slot
	// of a model that is loaded: it tries elsewhere only within 2 s.
	DefaultJobWait = 1500 * time.Millisecond
	// DefaultNodeWait is how long one of our own gateways does.
	DefaultNodeWait = 30 * time.Second
	// DefaultArtifactBytes bounds what AI jobs made and keep for download.
	DefaultArtifactBytes = 512 << 20
)

// Options are what an Orchestrator is built from.
type Options struct {
	// ServiceURI is the advertised address, scheme://host:port, without a path; see
	// SetServiceURI.
	ServiceURI string
	// Capabilities is the present offer; it may change while the node runs.
	Capabilities func() capability.Capabilities

	// Transcoder is nil on a node that only does AI.
	Transcoder core.Transcoder
	// Payments is nil off-chain, where everything is free. It needs Signatures: a
	// payment counts for who signed the request.
	Payments Payments
	// Signatures is nil off-chain.
	Signatures Signatures
	// TokenSecret is what auth tokens are made with, the ledger's on the chain, so
	// that they outlive the process; zero draws a new one.
	TokenSecret pm.Secret
	// L1Block is the latest block of layer 1, by which gateways are told in time
	// that their ticket parameters expire; nil tells none.
	L1Block func() protocol.L1Block
	// Admitter is asked beside the limit; nil admits everything within it.
	Admitter Admitter
	// Recorder is core.NopRecorder when nil.
	Recorder core.Recorder

	// Board is told while gateways are refused for want of room; nil is told nothing.
	Board *health.Board

	// Demand counts what was asked and answered; nil counts nothing.
	Demand *requeststats.Book

	// Worker runs AI jobs; nil is a node without AI.
	Worker inference.Worker
	// Inference is inference.NopRecorder when nil.
	Inference inference.Recorder
	// PromptRatio is how many tokens of a prompt each paid token of an answer may bring,
	// beyond those that every request may; 0 is no bound.
	PromptRatio int64
	// Media measures audio; without it audio is refused.
	Media pipeline.MediaProbe
	// JobWait and NodeWait bound the wait for a slot, DefaultJobWait and
	// DefaultNodeWait when 0; the loading of a model is waited for without bound.
	JobWait, NodeWait time.Duration
	// ArtifactBytes is DefaultArtifactBytes when 0.
	ArtifactBytes int64

	// Origin is what renditions say of the node that ordered them: its address,
	// or "offchain", which is the default.
	Origin string

	// Limit is the number of sessions at once; 0 leaves it to the Admitter.
	Limit int
	// ResultBytes bounds the renditions kept for download, DefaultResultBytes
	// when 0.
	ResultBytes int64
	// DrainAccept is DefaultDrainAccept when 0.
	DrainAccept time.Duration

	// Now and Rand are the clock and the source of secrets and session ids.
	Now  func() time.Time
	Rand io.Reader
	Log  *slog.Logger
}

// complete checks what has no default and fills in what has.
func (opt *Options) complete() error {
	uri, err := serviceURI(opt.ServiceURI)
	switch {
	case err != nil:
		return err
	case opt.Transcoder == nil && opt.Worker == nil:
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
	opt.ResultBytes = cmp.Or(opt.ResultBytes, DefaultResultBytes)
	opt.ArtifactBytes = cmp.Or(opt.ArtifactBytes, DefaultArtifactBytes)
	opt.DrainAccept = cmp.Or(opt.DrainAccept, DefaultDrainAccept)
	opt.JobWait = cmp.Or(opt.JobWait, DefaultJobWait)
	opt.NodeWait = cmp.Or(opt.NodeWait, DefaultNodeWait)
}
