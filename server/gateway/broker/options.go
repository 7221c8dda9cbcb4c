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
	// Client is the way to orchestrators; the broker does not close it.
	Client *upstream.Client
	// Orchestrators lists service URIs (see upstream.ParseAddresses).
	Orchestrators func(ctx context.Context) ([]string, error)

	// Version is this gateway's for orchestrators, "0.9.1".
	Version string
	// MinVersion and MinRunnerVersions are the lowest that are taken.
	MinVersion        string
	MinRunnerVersions airouting.MinVersions
	// Blocked addresses are never used.
	Blocked []core.Address
	// MaxPrice is the most that is paid for a model, in wei per unit; a nil function
	// and a nil result take any price. It may change at run time.
	MaxPrice func(inference.Model) *big.Rat
	// DearToo takes orchestrators above it where there is nobody else.
	DearToo bool
	// Owner says whose offer it is that an address which was asked gave, and how much
	// stake that one has; nil, as off-chain, knows of no stake. With an error the offer
	// is not used.
	Owner func(asked string, info upstream.Info) (registry.Owner, error)
	// Score is an orchestrator's measured performance between 0 and 1, false where it
	// is not known; nil knows of none.
	Score func(uri string, model inference.Model) (float64, bool)
	// Rule weighs orchestrators on the chain; nil, as off-chain, looks at load and
	// times alone.
	Rule *selectionweights.Rule

	// RetryWindow is how long after a job's arrival new attempts begin; default 2 s.
	// One attempt that could not connect, or was too late, is made up for after it.
	RetryWindow time.Duration
	// Others is how many further orchestrators may be given a job that one has
	// failed at; default 2, below 0 none.
	Others int
	// MaxLost is the value of payments after which, once orchestrators took them and
	// refused the job, it is not paid for again; zero knows no such bound, and leaves the
	// one on their number.
	MaxLost core.Wei
	// Patience is how long discovery waits for answers.
	Patience videorouting.Patience
	// RefreshEvery is how often the offers of models in use are asked for again;
	// default 10 s.
	RefreshEvery time.Duration
	// Quiet is how long nothing may come of a job before it is checked whether its
	// orchestrator answers at all; default 5 s.
	Quiet time.Duration
	// Prefixes is how many prompts' beginnings are remembered; default 65536.
	Prefixes int

	// Board takes a condition for each model in use that orchestrators have and cannot run;
	// nil takes none.
	Board *health.Board
	Log   *slog.Logger
	// Now is the clock, Rand a source of numbers in [0, 1) that may be called from
	// several goroutines at once.
	Now  func() time.Time
	Rand func() float64
}

// maxLost is the bound as a budget has it.
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
	if o.Quiet <= 0 {
		o.Quiet = defaultQuiet
	}
	// Off-chain the first loaded model that answers will do; the others join it.
	o.Patience.FirstCome = true
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
