package media

import (
	"time"

	"github.com/tuttinode/tutti/core/device"
)

// SetModelGPUs takes the GPUs that models may be placed on.
func (p *Part) SetModelGPUs(present []device.GPU) { p.modelGPUs.Store(&present) }

// ReserveForModels sets aside what the models that stay loaded need of a GPU.
func (p *Part) ReserveForModels(id string, bytes int64) {
	cards := p.modelGPUs.Load()
	if cards == nil {
		return
	}
	for _, d := range *cards {
		if d.ID() == id || string(d.UUID) == id {
			p.Budget.Reserve(d.UUID, device.Models, device.Bytes(bytes))
		}
	}
}

// freeMemory returns how much memory of a GPU is unused, and when that was read.
func (p *Part) freeMemory(id string) (bytes int64, at time.Time, ok bool) {
	if p.GPUs == nil {
		return 0, time.Time{}, false
	}
	for _, d := range p.GPUs.Devices() {
		if d.ID() != id {
			continue
		}
		s, ok := p.GPUs.Sample(d.UUID)
		return int64(d.Memory - s.Used), s.At, ok && d.Memory > 0
	}
	return 0, time.Time{}, false
}
