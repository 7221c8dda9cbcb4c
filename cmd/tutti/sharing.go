package main

import (
	"time"

	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/gpu"
	"github.com/tuttinode/tutti/transcoder/devices"
)

// transcodesOnGPUs reports whether segments are transcoded on GPUs of this machine.
func transcodesOnGPUs(cfg *config.Config) bool {
	return cfg.Roles.Transcoder && !cfg.Transcoding.Devices.None()
}

// devicesForModels are the GPUs that models may have, with as much memory of each as
// they may have: where segments are transcoded on it, too, room for a session is kept.
// The node, the check of the configuration and the doctor decide by it alike. The error
// is containerGPUs'.
func devicesForModels(cfg *config.Config, seen gpusSeen, budget *gpu.Budget) ([]models.Device, error) {
	present := seen.Present()
	budget.Furnish(present)
	if transcodesOnGPUs(cfg) {
		for _, d := range present {
			budget.Reserve(d.UUID, gpu.Transcoding, devices.AtLeast)
		}
	}
	return containerGPUs(modelGPUs{seen, budget}, cfg.Transcoding.Devices)
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

// freeMemory is how much memory of a GPU is unused, and when that was read.
func (n *node) freeMemory(device string) (bytes int64, at time.Time, ok bool) {
	if n.gpus == nil {
		return 0, time.Time{}, false
	}
	for _, d := range n.gpus.Devices() {
		if d.ID() != device {
			continue
		}
		s, ok := n.gpus.Sample(d.UUID)
		return int64(d.Memory - s.Used), s.At, ok && d.Memory > 0
	}
	return 0, time.Time{}, false
}
