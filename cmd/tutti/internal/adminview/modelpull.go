package adminview

import (
	"context"

	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/core/adminapi"
)

// Pull fetches what a model needs before its first job.
func (s servedModels) Pull(
	ctx context.Context, name adminapi.ModelName, dry bool, report func(adminapi.ModelPullProgress),
) (adminapi.ModelPull, error) {
	state, err := s.find("pull a model", name)
	if err != nil {
		return adminapi.ModelPull{}, err
	}
	parts, err := s.p.Models.Manager.Pull(ctx, state.Model, dry, func(p manager.PullProgress) {
		report(adminapi.ModelPullProgress{Kind: string(p.Kind), Name: p.Name,
			DoneBytes: p.Done, TotalBytes: p.Total, LayersReady: p.Ready, Layers: p.Layers})
	})
	out := adminapi.ModelPull{Pipeline: state.Model.Pipeline(), Model: state.Model.ID, Parts: []adminapi.ModelPart{}}
	for _, p := range parts {
		out.Parts = append(out.Parts, adminapi.ModelPart{
			Kind: string(p.Kind), Name: p.Name, Digest: p.Digest, State: string(p.State), ToDo: p.ToDo})
	}
	return out, err
}
