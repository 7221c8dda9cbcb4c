package main

import (
	"github.com/tuttinode/tutti/core/gpu"
	"github.com/tuttinode/tutti/transcoder/devices"
)

// transcodesOnGPUs reports whether segments are transcoded on GPUs of this machine.
func (n *node) transcodesOnGPUs() bool {
	return n.cfg.Roles.Transcoder && !n.cfg.Transcoding.Devices.None()
}

// shared is an inventory with as much memory of each GPU as models may have: where
// segments are transcoded on it, too, room for a session is kept.
func (n *node) shared(seen gpusSeen) gpusSeen {
	present := seen.Present()
	n.cards.Store(&present)
	n.budget.Furnish(present)
	if n.transcodesOnGPUs() {
		for _, d := range present {
			n.budget.Reserve(d.UUID, gpu.Transcoding, devices.AtLeast)
		}
	}
	return modelGPUs{seen, n.budget}
}

// modelGPUs are GPUs with the memory that models may have.
type modelGPUs struct {
	gpusSeen
	budget *gpu.Budget
}

// Present are those that are there.
func (m modelGPUs) Present() []gpu.Device { return m.budget.For(gpu.Models, m.gpusSeen.Present()) }

// reserveForModels sets aside what the models that stay loaded need of a GPU.
func (n *node) reserveForModels(device string, bytes int64) {
	cards := n.cards.Load()
	if cards == nil {
		return
	}
	for _, d := range *cards {
		if d.ID() == device || string(d.UUID) == device {
			n.budget.Reserve(d.UUID, gpu.Models, gpu.Bytes(bytes))
		}
	}
}
