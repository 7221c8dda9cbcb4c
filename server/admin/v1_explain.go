package admin

import (
	"net/http"

	"github.com/tuttinode/tutti/core/adminapi"
)

func explainEndpoints() []endpoint {
	return []endpoint{{
		Route: get(adminapi.PathExplain, "Why few or no jobs come, the weightiest reason first", adminapi.Explanation{}),
		serve: explainV1,
	}}
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
