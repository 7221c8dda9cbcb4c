package live

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

const (
	// maxChanges is how many changes of orchestrator may follow each other within changesWithin.
	maxChanges    = 2
	changesWithin = 3 * time.Minute
	// restFor is how many later choices pass an orchestrator over that was late.
	restFor = 5
)

// run serves the stream at one orchestrator after another until ctx ends or none can be found.
func (s *stream) run(ctx context.Context) {
	defer close(s.done)
	changes, left := 0, time.Time{}
	s.trace(telemetry.ReceivedStream, nil)
	for ctx.Err() == nil {
		err := s.serve(ctx)
		if ctx.Err() != nil {
			break
		}
		at := s.srv.o.Now()
		if changes++; left.IsZero() || at.Sub(left) >= changesWithin {
			changes = 1
		}
		left = at
		s.fail(err)
		if errors.Is(err, errNoOrchestrator) || changes > maxChanges {
			s.srv.o.Log.Warn("a live stream ends", "stream", s.id, "changes", changes, "err", err)
			s.stop(err)
		} else {
			s.swapped(err)
		}
	}
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		s.fail(err)
	}
	s.mu.Lock()
	s.endedAt = s.srv.o.Now()
	s.mu.Unlock()
	s.out.close()
	s.trace(telemetry.ClosedStream, nil)
	s.endReports()
}

// serve serves the stream at one orchestrator, and returns why it left it.
func (s *stream) serve(ctx context.Context) error {
	j, err := s.choose(ctx)
	s.triedOnce.Do(func() { close(s.tried) })
	if err != nil {
		return err
	}
	s.reports.setOrchestrator(j.o)
	s.plan.begun()
	s.srv.o.Log.Info("a live stream runs at an orchestrator", "stream", s.id, "orchestrator", j.o.URI())
	err = j.run()
	if late, ok := errors.AsType[*leftError](err); ok && late.late {
		s.srv.rest(j.o.URI())
	}
	if ctx.Err() == nil {
		s.srv.o.Log.Warn("a live stream leaves its orchestrator", "stream", s.id, "orchestrator", j.o.URI(), "err", err)
	}
	return err
}

// choose begins the stream at the first orchestrator that takes it.
func (s *stream) choose(ctx context.Context) (*job, error) {
	network, within := s.plan.network(&s.srv.o)
	search, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	found, err := network.Find(search, s.model)
	if err != nil {
		s.trace(telemetry.NoOrchestrator, nil)
		return nil, errors.Join(errNoOrchestrator, err)
	}
	found = slices.DeleteFunc(found, func(o Orchestrator) bool { return !strings.Contains(o.URI(), s.only) })
	errs := []error{errNoOrchestrator}
	for _, o := range s.srv.rested(found) {
		if search.Err() != nil {
			break
		}
		s.srv.o.Recorder.Attempt()
		j, err := s.begin(ctx, o)
		if err == nil {
			for _, failed := range errs {
				upstream.Blame(failed) // its parameters were not the cause
			}
			if s.plan == nil { // that of a second is no price of pixels
				s.srv.o.Recorder.Price(o.Price())
			}
			return j, nil
		}
		s.srv.o.Log.Info("an orchestrator does not take a live stream", "stream", s.id, "orchestrator", o.URI(), "err", err)
		errs = append(errs, err)
	}
	if ctx.Err() == nil {
		s.trace(telemetry.NoOrchestrator, nil)
	}
	return nil, errors.Join(errs...)
}
