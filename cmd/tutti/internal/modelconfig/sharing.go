package modelconfig

import (
	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/transcoder/devices"
)

// TranscodesOnGPUs reports whether segments are transcoded on GPUs of this machine.
func TranscodesOnGPUs(cfg *config.Config) bool {
	return cfg.Roles.Transcoder && !cfg.Transcoding.Devices.None()
}

// GPUs returns the GPUs that models may have, with as much memory of each as
// they may have: where segments are transcoded on it, too, capacity for a session is reserved.
// The node, the check of the configuration and the doctor decide by it alike. The error
// is containerGPUs'.
func GPUs(cfg *config.Config, seen gpusSeen, budget *device.Budget) ([]models.Device, error) {
	present := seen.Present()
	budget.Furnish(present)
	if TranscodesOnGPUs(cfg) {
		for _, d := range present {
			budget.Reserve(d.UUID, device.Transcoding, devices.AtLeast)
		}
	}
	return ContainerGPUs(modelGPUs{seen, budget}, cfg.Transcoding.Devices)
}

// modelGPUs are GPUs with the memory that models may have.
type modelGPUs struct {
	gpusSeen
	budget *device.Budget
}

// Present returns those that are there.
func (m modelGPUs) Present() []device.GPU { return m.budget.For(device.Models, m.gpusSeen.Present()) }
