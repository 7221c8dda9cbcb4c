package media

import (
	"context"
	"log/slog"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/transcoder/gpus"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// cudaCache is the folder in the data directory in which drivers keep what they
// compile for their GPUs.
const cudaCache = "cuda-cache"

// Starter starts media workers of GPUs.
type Starter struct {
	cfg       *config.Config
	log       *slog.Logger
	recorder  core.Recorder
	inventory device.Inventory
	uvm       *gpus.UVM
}

// NewStarter starts workers of the GPUs in inventory; recorder counts their restarts.
func NewStarter(cfg *config.Config, log *slog.Logger, recorder core.Recorder, inventory device.Inventory) *Starter {
	return &Starter{cfg: cfg, log: log, recorder: recorder, inventory: inventory, uvm: gpus.NewUVM(log)}
}

// Start starts the worker of d and returns when it is ready.
func (s *Starter) Start(ctx context.Context, d device.GPU) (*worker.Client, error) {
	o := options(s.cfg, s.log, s.recorder)
	o.Device, o.GPU, o.UUID = strconv.Itoa(d.Index), true, string(d.UUID)
	o.Cache = filepath.Join(s.cfg.Storage.DataDir, cudaCache)
	o.Cores = coresFor(d, s.inventory.Devices(), runtime.NumCPU())
	s.uvm.Load(ctx)
	client, err := worker.Start(ctx, o)
	if err != nil {
		return nil, s.uvm.Explain(err)
	}
	return client, nil
}

// coresFor returns how many cores a GPU's worker may count on: those without an encoder
// leave encoding to the CPU, and share it.
func coresFor(d device.GPU, all []device.GPU, cores int) int {
	if d.Encodes {
		return cores
	}
	sharing := 0
	for _, other := range all {
		if !other.Encodes {
			sharing++
		}
	}
	return max(1, cores/max(1, sharing))
}
