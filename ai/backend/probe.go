package backend

import (
	"context"
	"errors"

	"github.com/tuttinode/tutti/core/fault"
)

// refreshAfter is how many probes are answered with details from memory before
// they are asked for again: a server may have been restarted between two probes.
const refreshAfter = 30

// Probe asks the runner how it is, and what it is if that is not known; see
// Backend.
func (s *Server) Probe(ctx context.Context) (Info, error) {
	known := s.recall()
	kind := Kind("")
	if known != nil {
		kind = known.kind
	} else {
		var err error
		if kind, err = s.detect(ctx); err != nil {
			return Info{}, err
		}
	}
	info, err := s.inform(ctx, kind, known)
	if err != nil || !info.Health.Usable() {
		s.remember(nil)
	}
	return info, err
}

// inform asks a runner of a kind for its health, and for its details unless they
// are known.
func (s *Server) inform(ctx context.Context, kind Kind, known *identity) (Info, error) {
	health, reason, err := s.health(ctx, kind)
	switch {
	case err != nil:
		return Info{}, err
	case !health.Usable():
		return Info{Kind: kind, Health: health, Reason: reason}, nil
	case known != nil && known.probes < refreshAfter:
		again := *known
		again.probes++
		again.info.Health = health
		s.remember(&again)
		return again.info, nil
	}
	info := Info{Kind: kind, Health: health, Served: s.options.Served}
	if err := s.details(ctx, &info); err != nil {
		return Info{}, err
	}
	s.remember(&identity{kind: kind, served: info.Served, operations: info.Operations, info: info})
	if known == nil {
		s.options.Log.Info("runner found", "pipeline", s.options.Pipeline.Pipeline(), "model", s.options.Model,
			"kind", string(info.Kind), "served", info.Served, "version", info.Version, "slots", info.Slots)
	}
	return info, nil
}

func (s *Server) details(ctx context.Context, info *Info) error {
	if info.Kind == Contract {
		return s.contractDetails(ctx, info)
	}
	return s.openAIDetails(ctx, info)
}

// optional is an answer that not every runner of the kind gives: nil where it
// does not. That the caller gave up is an error all the same.
func (s *Server) optional(ctx context.Context, path string, body []byte) (*said, error) {
	a, err := s.ask(ctx, path, body)
	switch {
	case ctx.Err() != nil, errors.Is(err, fault.RunnerUnreachable):
		return nil, err
	case err != nil || !a.ok():
		return nil, nil
	}
	return a, nil
}
