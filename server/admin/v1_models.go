package admin

import (
	"context"
	"net/http"

	"github.com/tuttinode/tutti/core/adminapi"
)

// Models are the AI models of a node. The error of SetWarm and Test is AdminBadParam for
// a model that this machine does not have or that cannot be changed or tested; that of
// Test also is why the job failed, and that of Pull why something could not be fetched.
type Models interface {
	Models() []adminapi.ServedModel
	// SetWarm answers at once; the list tells how the loading goes.
	SetWarm(name adminapi.ModelName, warm bool) error
	Test(ctx context.Context, name adminapi.ModelName) (adminapi.ModelTest, error)
	// Pull fetches what the model needs before its first job, or with dry only looks what
	// is there. It reports progress from one goroutine and ends with ctx.
	Pull(ctx context.Context, name adminapi.ModelName, dry bool,
		report func(adminapi.ModelPullProgress)) (adminapi.ModelPull, error)
}

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
	if s.opts.Models == nil {
		return nil, absent("AI models")
	}
	return adminapi.Models{Models: orEmpty(s.opts.Models.Models())}, nil
}

func changeModelV1(s *Server, r *http.Request) (any, error) {
	in, err := body[adminapi.ModelChange](r)
	if err != nil {
		return nil, err
	}
	if s.opts.Models == nil {
		return nil, absent("AI models")
	}
	if err := s.opts.Models.SetWarm(in.ModelName, in.Warm); err != nil {
		return nil, err
	}
	return modelsV1(s, r)
}

func testModelV1(s *Server, r *http.Request) (any, error) {
	in, err := body[adminapi.ModelName](r)
	if err != nil {
		return nil, err
	}
	if s.opts.Models == nil {
		return nil, absent("AI models")
	}
	return s.opts.Models.Test(r.Context(), in)
}
