package registry

import (
	"context"
	"log/slog"
	"time"

	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// Options make a Directory. Stakes, Events and Survey must be set.
type Options struct {
	// Stakes reads the active set; Events reports changes of it.
	Stakes interface {
		Pool(ctx context.Context) ([]protocol.Orchestrator, error)
	}
	Events protocol.Events
	// Survey asks an orchestrator for its terms without a job; upstream.Client implements it.
	Survey func(ctx context.Context, uri string) (upstream.Info, error)
	// Fixed are service URIs that the operator named. They replace the registry's URIs, and the
	// registry then only gives their stake.
	Fixed []string
	// Named says that the operator names endpoints while the gateway runs, by Directory.Use; Fixed
	// implies it.
	Named bool
	// ExtraNodes is how many extra nodes per orchestrator are used, of those that it names itself;
	// 0 uses none.
	ExtraNodes int

	// ReadEvery is how often the active set is read without an event, RetryAfter the delay after a
	// failure; defaults 10 min and 15 s.
	ReadEvery, RetryAfter time.Duration
	// SurveyEvery is how often all endpoints are asked for prices; default 25 min.
	SurveyEvery time.Duration

	// Board receives a condition when the registry cannot be read; nil receives none.
	Board *health.Board
	Log   *slog.Logger
	Now   func() time.Time
}

func (o Options) withDefaults() Options {
	o.Named = o.Named || len(o.Fixed) > 0
	orElse(&o.ReadEvery, 10*time.Minute)
	orElse(&o.RetryAfter, 15*time.Second)
	orElse(&o.SurveyEvery, 25*time.Minute)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// orElse sets an option that has no value to its default.
func orElse(v *time.Duration, d time.Duration) {
	if *v <= 0 {
		*v = d
	}
}
