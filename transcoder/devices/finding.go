package devices

import (
	"maps"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/device"
)

// Finding is what a process knows of a GPU that it offers, for its successor. The successor
// need not test the GPU while this process uses encoders and memory of it, which would
// falsify the results.
type Finding struct {
	// Driver is the version of the driver with which the GPU was tested.
	Driver string
	// Tested says that the GPU was tested; the fields below are empty otherwise, and
	// are those of ProbeResult.
	Tested                         bool
	Capabilities                   capability.Set
	EncoderSessions                int
	NoEncoder                      bool
	SessionMemory, RenditionMemory int64
	Cost                           float64
}

// findingOf returns a test's result as a finding.
func findingOf(r *ProbeResult) Finding {
	return Finding{
		Tested: true, Capabilities: r.Capabilities, EncoderSessions: r.EncoderSessions, NoEncoder: r.NoEncoder,
		SessionMemory: r.SessionMemory, RenditionMemory: r.RenditionMemory, Cost: r.Cost,
	}
}

// result returns the finding as a test's result.
func (f *Finding) result() ProbeResult {
	return ProbeResult{
		Capabilities: f.Capabilities, EncoderSessions: f.EncoderSessions, NoEncoder: f.NoEncoder,
		SessionMemory: f.SessionMemory, RenditionMemory: f.RenditionMemory, Cost: f.Cost,
	}
}

// Findings returns those of the GPUs that are offered now.
func (k *Keeper) Findings() map[device.UUID]Finding {
	k.mu.Lock()
	defer k.mu.Unlock()
	return maps.Clone(k.found)
}

// addFinding records the finding of a GPU that is offered from now on.
func (k *Keeper) addFinding(id device.UUID, f Finding) {
	f.Driver = k.o.Inventory.Driver().Version
	k.mu.Lock()
	defer k.mu.Unlock()
	k.found[id] = f
}

func (k *Keeper) removeFinding(id device.UUID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.found, id)
}

// inherited returns the previous process's finding of a GPU, if it is still valid.
func (k *Keeper) inherited(id device.UUID) (Finding, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f, ok := k.inheritedFindings[id]
	return f, ok && (!k.o.Test || f.Tested && f.Driver == k.o.Inventory.Driver().Version)
}

// inherit uses an inherited finding once: a GPU that fails afterwards is tested.
func (k *Keeper) inherit(id device.UUID) (Finding, bool) {
	f, ok := k.inherited(id)
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.inheritedFindings, id)
	return f, ok
}
