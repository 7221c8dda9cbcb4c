package manager

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// sweepTimeout bounds the removal of what an earlier run left.
const sweepTimeout = time.Minute

// strays removes containers of an earlier run of the node that this one does not adopt, once,
// before the first container of this run is created.
type strays struct {
	engine Engine
	// adopt takes what this run wants.
	adopt func(context.Context) error
	log   *slog.Logger
	// sem is held during a sweep and guards done.
	sem  chan struct{}
	done bool
}

func newStrays(engine Engine, log *slog.Logger) *strays {
	return &strays{engine: engine, log: log, sem: make(chan struct{}, 1)}
}

// sweep removes them. An error means that the engine cannot be used, and the next call
// tries again. A container that cannot be removed is logged and stays.
func (s *strays) sweep(ctx context.Context) error {
	select {
	case s.sem <- struct{}{}:
		defer func() { <-s.sem }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.done {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, sweepTimeout)
	defer cancel()
	if err := s.adopt(ctx); err != nil {
		return err
	}
	removed, err := s.engine.Reconcile(ctx)
	var several interface{ Unwrap() []error }
	if err != nil && !errors.As(err, &several) {
		return err
	}
	s.done = true
	for _, name := range removed {
		s.log.Info("removed a container that an earlier run left", "container", name)
	}
	if err != nil {
		s.log.Warn("a container of an earlier run could not be removed", fault.Attr(err))
	}
	return nil
}
