package broker

import (
	"context"
	"log/slog"
	"math/big"
	"math/rand/v2"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/selectionweights"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/server/gateway/registry"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// Options make a Broker. Client and Orchestrators must be set.
type Options struct {
	// Client connects to orchestrators; the broker does not close it.
	Client *upstream.Client
	// Orchestrators lists service URIs (see upstream.ParseAddresses).
	Orchestrators func(ctx context.Context) ([]string, error)

	// Version is this gateway's version as orchestrators see it, "0.9.1".
	Version string
	// MinVersion and MinRunnerVersions are the lowest accepted versions.
	MinVersion        string
	MinRunnerVersions airouting.MinVersions
	// Blocked addresses are never used.
	Blocked []core.Address
	// MaxPrice is the most that is paid for a model, in wei per unit; a nil function and a nil
	// result accept any price. It may change at run time.
	MaxPrice func(inference.Model) *big.Rat
	// AllowExpensive accepts orchestrators above MaxPrice when there is no other.
	AllowExpensive bool
	// Owner returns the owner of an offer, given the address that was asked for it, and the owner's
	// stake; nil, as off-chain, knows no stake. An offer with an error is not used.
	Owner func(asked string, info upstream.Info) (registry.Owner, error)
	// Score is an orchestrator's measured performance from 0 to 1, false where unknown; nil knows
	// none.
	Score func(uri string, model inference.Model) (float64, bool)
	// Rule weighs orchestrators on the chain; nil, as off-chain, uses load and latency only.
	Rule *selectionweights.Rule

	// RetryWindow is how long after a job's arrival new attempts begin; default 2 s. One attempt
	// that could not connect, or timed out, may be replaced after it.
	RetryWindow time.Duration
	// Others is how many more orchestrators may get a job that one has failed at; default 2, below
	// 0 none.
	Others int
	// MaxLost is the value of payments after which, once orchestrators took them and refused the
	// job, it is not paid for again; zero is unlimited and leaves the limit on their number.
	MaxLost core.Wei
	// Patience is how long discovery waits for answers.
	DiscoveryWait videorouting.DiscoveryWait
	// RefreshEvery is how often the offers of models in use are asked for again;
	// default 10 s.
	RefreshEvery time.Duration
	// Silence is how long a job may bring no bytes before its orchestrator's reachability is
	// checked; default 5 s.
	Silence time.Duration
	// HedgeShare is the share of streams that a second orchestrator may be asked for, because the first one takes
	// longer to begin than nearly all of its streams; 0 is none. HedgePaid allows it where the second one is paid
	// as well.
	HedgeShare float64
	HedgePaid  bool
	// Prefixes is how many prompt prefixes are remembered; default 65536.
	Prefixes int

	// Board receives a condition for each requested model that orchestrators have and cannot run;
	// nil receives none.
	Board *health.Board
	Log   *slog.Logger
	// Now is the clock, Rand a source of numbers in [0, 1) that is safe for concurrent use.
	Now  func() time.Time
	Rand func() float64
}

// maxLost returns the limit in the budget's type.
func (o *Options) maxLost() *big.Rat {
	if o.MaxLost.IsZero() {
		return nil
	}
	return new(big.Rat).SetInt(o.MaxLost.Big())
}

func (o Options) withDefaults() Options {
	if o.MaxPrice == nil {
		o.MaxPrice = func(inference.Model) *big.Rat { return nil }
	}
	if o.RetryWindow <= 0 {
		o.RetryWindow = 2 * time.Second
	}
	if o.Others == 0 {
		o.Others = 2
	}
	if o.RefreshEvery <= 0 {
		o.RefreshEvery = 10 * time.Second
	}
	if o.Silence <= 0 {
		o.Silence = defaultSilence
	}
	// Off-chain the first loaded model that answers is used; the others join it.
	o.DiscoveryWait.FirstCome = true
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
	return o
}
