package models

import "github.com/tuttinode/tutti/ai/gpuplacement"

// need returns what one container of the entry takes.
func (e *Entry) need() gpuplacement.Need {
	n := int64(max(1, e.GPUs.Count))
	return gpuplacement.Need{Devices: int(n), IDs: e.GPUs.IDs,
		Takes: gpuplacement.Memory{Bytes: (e.VRAM + n - 1) / n, Share: e.MemoryShare()}}
}

// MemoryShare returns the part of each of its devices' memory that a text generation container
// always allocates, 0 for all others. A custom image may allocate no fixed share, so with
// vram_gb and no explicit share, only vram_gb counts.
func (e *Entry) MemoryShare() float64 {
	_, set := e.Flags.Lookup(utilization)
	if ownRunner := e.Image != "" && e.vramGiven && !set; e.LLM == nil || ownRunner {
		return 0
	}
	return e.LLM.Utilization
}
