package main

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/tuttinode/tutti/cmd/tutti/internal/mediaworker"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/gpu"
	"github.com/tuttinode/tutti/core/placement"
	"github.com/tuttinode/tutti/transcoder/devices"
	"github.com/tuttinode/tutti/transcoder/gpus"
	"github.com/tuttinode/tutti/transcoder/probe"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// addGPUs adds what watches the GPUs that were asked for, and what keeps a media
// worker on each of them. A machine without any starts all the same; the board says
// what is wrong, and the cards are taken when they show.
func (n *node) addGPUs(recorder core.Recorder) error {
	watcher := gpus.New(gpus.Options{
		Selection: n.cfg.Transcoding.Devices, Board: n.board, Log: n.log,
		Allowed: func(id gpu.UUID) gpu.Bytes { return n.budget.Reserved(id, gpu.Models) },
	})
	n.gpus = watcher
	if n.metrics != nil {
		if err := n.metrics.WatchGPUs(watcher); err != nil {
			return fmt.Errorf("register metrics of GPUs: %w", err)
		}
	}
	n.add(watcher)
	n.keeper = devices.New(devices.Options{
		Inventory: watcher, Start: n.startGPU(watcher, recorder),
		Test: n.cfg.Transcoding.TestAtStart, Inherited: n.ahead.findings(),
		// Untested, a card is taken at its vendor's word: what the usual ones can do.
		Base:   placement.Offer{Capabilities: n.offered(capability.SoftwareTranscoder().With(capability.HEVCEncode))},
		Adjust: n.adjust,
		Placer: n.media, Use: n.memoryUse, Budget: n.budget, Board: n.board, Log: n.log,
	})
	n.add(n.keeper)
	return nil
}

// cudaCache is the folder in the data directory in which drivers keep what they
// compile for their cards.
const cudaCache = "cuda-cache"

// startGPU starts the media worker of a card, or takes the one that was started before
// this process took another's place.
func (n *node) startGPU(inventory gpu.Inventory, recorder core.Recorder) func(context.Context, gpu.Device) (probe.Worker, error) {
	s := cardStarter{cfg: n.cfg, log: n.log, recorder: recorder, inventory: inventory, uvm: gpus.NewUVM(n.log)}
	ahead := n.ahead
	if ahead != nil {
		ahead.recorder.to.Store(&recorder)
	}
	return func(ctx context.Context, d gpu.Device) (probe.Worker, error) {
		client := ahead.take(d)
		var err error
		if client == nil {
			client, err = s.start(ctx, d)
		}
		if err != nil {
			return nil, err
		}
		n.tend(client)
		return client, nil
	}
}

// cardStarter starts media workers of cards.
type cardStarter struct {
	cfg       *config.Config
	log       *slog.Logger
	recorder  core.Recorder
	inventory gpu.Inventory
	uvm       *gpus.UVM
}

func (s *cardStarter) start(ctx context.Context, d gpu.Device) (*worker.Client, error) {
	o := mediaworker.Options(s.cfg, s.log, s.recorder)
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

// coresFor is how many cores a card's worker may count on: those without an encoder
// leave encoding to the processor, and share it.
func coresFor(d gpu.Device, all []gpu.Device, cores int) int {
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

// adjust makes a card's offer the node's.
func (n *node) adjust(o placement.Offer) placement.Offer {
	o.Capabilities = n.offered(o.Capabilities.Bits)
	return o
}

// memoryUse is how much of a card the sessions on it are reckoned to use.
func (n *node) memoryUse(device string) gpu.Bytes {
	for _, u := range n.media.Devices() {
		if !u.Remote && u.Device == device {
			return gpu.Bytes(u.Memory)
		}
	}
	return 0
}
