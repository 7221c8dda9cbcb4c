package backend

import (
	"context"
	"errors"
	"net/http"

	"github.com/tuttinode/tutti/core/fault"
)

// refreshAfter is how many probes are answered with details from memory before
// they are asked for again: a server may have been restarted between two probes.
const refreshAfter = 30

// askAgain is what details count as when not all of them could be had: they are
// asked for again after a few probes.
const askAgain = refreshAfter - 3

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
		again.looked = false
		again.info.Health = health
		s.remember(&again)
		return again.info, nil
	}
	info := Info{Kind: kind, Health: health, Served: s.options.Served}
	l := &look{Server: s}
	if err := l.details(ctx, &info); err != nil {
		return Info{}, err
	}
	found := identity{kind: kind, served: info.Served, operations: info.Operations, info: info}
	switch {
	case l.unsure && known != nil:
		// A busy runner is what it was.
		found = *known
		found.info.Health = health
		found.probes = askAgain
	case l.unsure:
		found.probes = askAgain
	}
	s.remember(&found)
	if known == nil {
		s.options.Log.Info("runner found", "pipeline", s.options.Pipeline.Pipeline(), "model", s.options.Model,
			"kind", string(info.Kind), "served", info.Served, "version", info.Version, "slots", info.Slots)
	}
	return found.info, nil
}

// look is one time of asking for details. It is unsure when one of them was not
// told for a reason that may be over soon.
type look struct {
	*Server
	unsure bool
}

func (s *look) details(ctx context.Context, info *Info) error {
	if info.Kind == Contract {
		return s.contractDetails(ctx, info)
	}
	return s.openAIDetails(ctx, info)
}

// optional is Server.optional, and notes when that was not sure.
func (s *look) optional(ctx context.Context, path string, body []byte) (*said, error) {
	a, sure, err := s.Server.optional(ctx, path, body)
	s.unsure = s.unsure || !sure
	return a, err
}

// optional is an answer that not every runner of the kind gives: nil where it
// does not. It is sure unless a runner that does might have failed like this: one
// that is busy, slow or broken. That the caller gave up is an error all the same.
func (s *Server) optional(ctx context.Context, path string, body []byte) (a *said, sure bool, err error) {
	a, err = s.ask(ctx, path, body)
	switch {
	case ctx.Err() != nil, errors.Is(err, fault.RunnerUnreachable):
		return nil, false, err
	case err != nil:
		return nil, false, nil
	case !a.ok():
		return nil, !passing(a.status), nil
	}
	return a, true, nil
}

// passing reports whether a refusal may be over soon.
func passing(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return status >= 500 && status != http.StatusNotImplemented
}
