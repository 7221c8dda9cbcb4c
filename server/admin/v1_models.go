package admin

import (
	"net/http"

	"github.com/tuttinode/tutti/core/adminapi"
)

func modelEndpoints() []endpoint {
	return []endpoint{
		{Route: get(adminapi.PathModels, "AI models: state, slots and price", adminapi.Models{}), serve: modelsV1},
		{Route: post(adminapi.PathModelState, "Load a model and keep it loaded, or unload it until a job asks for it",
			adminapi.ModelChange{}, adminapi.Models{}), serve: changeModelV1},
		{Route: post(adminapi.PathModelTest, "Give a model of this machine a small job", adminapi.ModelName{},
			adminapi.ModelTest{}), serve: testModelV1},
		pullEndpoint(),
	}
}

func modelsV1(s *Server, _ *http.Request) (any, error) {
	if s.opts.Work.Models == nil {
		return nil, absent("AI models")
	}
	return adminapi.Models{Models: orEmpty(s.opts.Work.Models.Models())}, nil
}

func changeModelV1(s *Server, r *http.Request) (any, error) {
	in, err := body[adminapi.ModelChange](r)
	if err != nil {
		return nil, err
	}
	if s.opts.Work.Models == nil {
		return nil, absent("AI models")
	}
	if err := s.opts.Work.Models.SetWarm(in.ModelName, in.Warm); err != nil {
		return nil, err
	}
	return modelsV1(s, r)
}

func testModelV1(s *Server, r *http.Request) (any, error) {
	in, err := body[adminapi.ModelName](r)
	if err != nil {
		return nil, err
	}
	if s.opts.Work.Models == nil {
		return nil, absent("AI models")
	}
	return s.opts.Work.Models.Test(r.Context(), in)
}
