package doctorcmd

import (
	"context"
	"os"
	"os/exec"
	"sync"

	"github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/fault"
	live "github.com/tuttinode/tutti/core/liverunner"
	"github.com/tuttinode/tutti/server/liverunner"
)

// liveRunners reads -liveRunnerConfig as the node would, and asks its runners for their health.
func (in *inspection) liveRunners(ctx context.Context) ([]doctor.LiveRunner, error) {
	if in.cfg.LiveAI.RunnerConfig == "" {
		return nil, nil
	}
	const op = "read -liveRunnerConfig"
	data, err := os.ReadFile(in.cfg.LiveAI.RunnerConfig)
	if err != nil {
		return nil, fault.Wrap(fault.LiveRunnersInvalid, op, err)
	}
	specs, err := live.ParseStatic(data, live.Payment(!in.cfg.Chain.Offchain() && in.cfg.Chain.Network != ""))
	if err != nil {
		return nil, fault.New(fault.LiveRunnersInvalid, op, err.Error())
	}
	runs := in.up(ctx)
	out := make([]doctor.LiveRunner, len(specs))
	var all sync.WaitGroup
	slots := make(chan struct{}, serversAtOnce)
	for i := range specs {
		out[i] = doctor.LiveRunner{Label: specs[i].Label, Managed: specs[i].Program != nil}
		if p := specs[i].Program; p != nil {
			if p.Container == nil {
				_, out[i].Program = exec.LookPath(p.Command[0])
			}
			if p.Container != nil && !in.cfg.Roles.AIWorker {
				return nil, fault.New(fault.LiveRunnersInvalid, op,
					specs[i].Label+": image needs -aiWorker, which uses the Docker Engine")
			}
			if p.GPUs > 0 && !in.cfg.Roles.AIWorker {
				return nil, fault.New(fault.LiveRunnersInvalid, op, specs[i].Label+": gpus needs -aiWorker, which plans the GPUs")
			}
			if !runs || p.Container != nil {
				continue // what the node starts does not run yet, and a container is reached by the node alone
			}
		}
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			out[i].Health = liverunner.Ask(ctx, &specs[i])
		})
	}
	all.Wait()
	return out, nil
}
