package backend

import (
	"context"
	"errors"
	"net/http"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// refreshAfter is how many probes return cached details before they are refreshed: a server
// may have been restarted between two probes.
const refreshAfter = 30

// retryAfterProbes is the initial count of incomplete details, so that they are refreshed
// after three probes.
const retryAfterProbes = refreshAfter - 3

// Probe asks the runner for its health, and for its details if they are unknown; see
// Backend.
func (s *Server) Probe(ctx context.Context) (Info, error) {
	info, err := s.probe(ctx)
	return info, s.explained(ctx, err)
}

func (s *Server) probe(ctx context.Context) (Info, error) {
	known := s.cached()
	kind := Kind("")
	if known != nil {
		kind = known.kind
	} else {
		var err error
		if kind, err = s.detect(ctx); err != nil {
			return Info{}, err
		}
	}
	info, err := s.info(ctx, kind, known)
	if err != nil || !info.Health.Usable() {
		s.setCached(nil)
	}
	return info, err
}

// info asks a runner of a kind for its health, and for its details unless they are cached.
func (s *Server) info(ctx context.Context, kind Kind, known *identity) (Info, error) {
	health, reason, err := s.health(ctx, kind)
	switch {
	case err != nil:
		return Info{}, err
	case !health.Usable():
		return Info{Kind: kind, Health: health, Reason: reason}, nil
	case known != nil && known.probes < refreshAfter:
		again := *known
		again.probes++
		again.rechecked = false
		again.info.Health = health
		s.setCached(&again)
		return again.info, nil
	}
	info := Info{Kind: kind, Health: health, Served: s.options.Served}
	l := &inspection{Server: s}
	if err := l.details(ctx, &info); err != nil {
		return Info{}, err
	}
	if !generates(info.Operations) {
		info.Features = inference.Features{} // they are about chats
	}
	found := identity{kind: kind, served: info.Served, operations: info.Operations, info: info}
	switch {
	case l.incomplete && known != nil:
		// Keep the earlier details of a busy runner.
		found = *known
		found.info.Health = health
		found.probes = retryAfterProbes
	case l.incomplete || info.Unlisted != "":
		found.probes = retryAfterProbes
	}
	s.setCached(&found)
	if known == nil {
		s.options.Log.Info("runner found", "pipeline", s.options.Pipeline.Pipeline(), "model", s.options.Model,
			"kind", string(info.Kind), "served", info.Served, "version", info.Version, "slots", info.Slots)
	}
	return found.info, nil
}

// inspection asks once for all details. It is incomplete when a request failed for a
// temporary reason.
type inspection struct {
	*Server
	incomplete bool
}

func (s *inspection) details(ctx context.Context, info *Info) error {
	if info.Kind == Contract {
		return s.contractDetails(ctx, info)
	}
	return s.openAIDetails(ctx, info)
}

// optional is Server.optional, and records an uncertain result.
func (s *inspection) optional(ctx context.Context, path string, body []byte) (*probeAnswer, error) {
	a, certain, err := s.Server.optional(ctx, path, body)
	s.incomplete = s.incomplete || !certain
	return a, err
}

// optional asks for a path that not every runner of the kind has: nil if it does not. The
// result is uncertain if the runner might be busy, slow or broken. The end of ctx is an
// error in any case.
func (s *Server) optional(ctx context.Context, path string, body []byte) (a *probeAnswer, certain bool, err error) {
	a, err = s.ask(ctx, path, body)
	switch {
	case ctx.Err() != nil, errors.Is(err, fault.RunnerUnreachable), errors.Is(err, fault.RunnerTLS):
		return nil, false, err
	case err != nil:
		return nil, false, nil
	case !a.ok():
		return nil, !temporary(a.status), nil
	}
	return a, true, nil
}

// temporary reports whether a refusal may be temporary.
func temporary(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return status >= 500 && status != http.StatusNotImplemented
}
