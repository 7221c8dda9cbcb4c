package admin

import (
	"net/http"

	"github.com/tuttinode/tutti/core/adminapi"
)

func runnerEndpoints() []endpoint {
	return []endpoint{
		{Route: get(adminapi.PathRunners, "Live runners, their state and sessions", adminapi.LiveRunners{}),
			serve: runnersV1},
		{Route: post(adminapi.PathRunner, "Keep new sessions from a live runner, or let it have some again",
			adminapi.LiveRunnerChange{}, adminapi.LiveRunners{}), serve: changeRunnerV1},
		{Route: post(adminapi.PathRunnerCheck, "Ask live runners for their health now", adminapi.LiveRunnerName{},
			adminapi.LiveRunners{}), serve: checkRunnerV1},
	}
}

func runnersV1(s *Server, _ *http.Request) (any, error) {
	if s.opts.Work.Runners == nil {
		return nil, absent("live runners")
	}
	return adminapi.LiveRunners{Runners: orEmpty(s.opts.Work.Runners.Runners())}, nil
}

func changeRunnerV1(s *Server, r *http.Request) (any, error) {
	in, err := body[adminapi.LiveRunnerChange](r)
	switch {
	case err != nil:
		return nil, err
	case s.opts.Work.Runners == nil:
		return nil, absent("live runners")
	case in.Drain:
		err = s.opts.Work.Runners.Drain(in.Name)
	default:
		err = s.opts.Work.Runners.Resume(in.Name)
	}
	if err != nil {
		return nil, err
	}
	return runnersV1(s, r)
}

func checkRunnerV1(s *Server, r *http.Request) (any, error) {
	in, err := body[adminapi.LiveRunnerName](r)
	switch {
	case err != nil:
		return nil, err
	case s.opts.Work.Runners == nil:
		return nil, absent("live runners")
	}
	if err := s.opts.Work.Runners.Check(r.Context(), in.Name); err != nil {
		return nil, err
	}
	return runnersV1(s, r)
}
