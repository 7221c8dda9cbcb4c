package modelconfig

import (
	"context"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/gpus"
)

// GPUAnswerTime is how long the driver may take before the AI part goes on without
// its answer.
const GPUAnswerTime = 10 * time.Second

// FindGPUs asks the driver once, in a process of its own.
func FindGPUs(ctx context.Context, asked config.Devices) *gpus.Watcher {
	return gpus.Find(ctx, gpus.Options{Selection: asked}, GPUAnswerTime)
}

// gpusSeen is what the AI part wants to know of an inventory.
type gpusSeen interface {
	Present() []device.GPU
	Faults() []*fault.Fault
	Blind() bool
}

// ContainerGPUs returns the GPUs that runner containers may be given, and why some of
// those that were asked for are not among them. A node that cannot ask the driver,
// because it runs in a container without GPUs itself, has what its operator names,
// of unknown memory: the engine next to it knows better.
func ContainerGPUs(seen gpusSeen, asked config.Devices) ([]models.Device, error) {
	if seen.Blind() && !asked.All {
		return namedGPUs(asked), nil
	}
	var out []models.Device
	for _, d := range seen.Present() {
		out = append(out, models.Device{ID: d.ID(), MemoryBytes: int64(d.Memory)})
	}
	for _, f := range seen.Faults() {
		// Containers may have GPUs that cannot transcode.
		if f.Code != fault.GPUIsMIG && (f.Code != fault.DriverTooOld || len(out) == 0) {
			return out, f
		}
	}
	return out, nil
}

// namedGPUs returns those of which no more is known than that they were asked for.
func namedGPUs(asked config.Devices) (out []models.Device) {
	for _, n := range asked.IDs {
		out = append(out, models.Device{ID: strconv.Itoa(n)})
	}
	for _, id := range asked.UUIDs {
		out = append(out, models.Device{ID: string(id)})
	}
	return out
}

// Problems are the codes that containerGPUs may return.
func Problems() []fault.Code { return fault.GPUProblems() }

// Devices returns the GPUs as the manager takes them.
func Devices(found []models.Device) []manager.Device {
	var out []manager.Device
	for _, d := range found {
		out = append(out, manager.Device(d))
	}
	return out
}
