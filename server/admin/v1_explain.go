package admin

import (
	"net/http"

	"github.com/tuttinode/tutti/core/adminapi"
)

func explainEndpoints() []endpoint {
	return []endpoint{{
		Route: get(adminapi.PathExplain, "Why few or no jobs come, the weightiest reason first", adminapi.Explanation{}),
		serve: explainV1,
	}, {
		Route: post(adminapi.PathRouteExplain,
			"Which orchestrators would get a request for a language model, and why not the others; nothing is sent to them",
			adminapi.RouteQuestion{}, adminapi.RoutePlan{}),
		serve: explainRouteV1,
	}}
}

func explainRouteV1(s *Server, r *http.Request) (any, error) {
	in, err := body[adminapi.RouteQuestion](r)
	if err != nil {
		return nil, err
	}
	if s.opts.Work.ExplainRoute == nil {
		return nil, absent("requests of applications to place")
	}
	return s.opts.Work.ExplainRoute(in)
}

func explainV1(s *Server, r *http.Request) (any, error) {
	if s.opts.Work.Explain == nil {
		return nil, absent("work that gateways ask for")
	}
	out := s.opts.Work.Explain(r.Context())
	out.Findings, out.Answers, out.Missing, out.Prices = orEmpty(out.Findings), orEmpty(out.Answers), orEmpty(out.Missing),
		orEmpty(out.Prices)
	for i := range out.Findings {
		out.Findings[i].Evidence = orEmpty(out.Findings[i].Evidence)
	}
	return out, nil
}
