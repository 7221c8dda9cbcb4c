package main

import (
	"time"

	"github.com/tuttinode/tutti/core/gpu"
)

// reserveForModels sets aside what the models that stay loaded need of a GPU.
func (n *node) reserveForModels(device string, bytes int64) {
	cards := n.modelCards.Load()
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
