// Package gpuplacement decides on which GPUs the containers of models run: whether the warm containers of a
// configuration fit all together, and where one more goes among those that run, which may be evicted but not moved.
//
// It only computes. ai/models asks it about a configuration before anything runs; ai/manager asks it before each
// container starts, and does the evictions.
package gpuplacement

import "slices"

// Device is a GPU for containers.
type Device struct {
	// ID is the driver's index or UUID, by which the Docker Engine knows it: "0" or "GPU-…".
	ID string
	// MemoryBytes is its memory, 0 when unknown.
	MemoryBytes int64
}

// Set is the devices for containers. A device of unknown memory fits any need. A device has one slot for each
// container that may share it.
type Set struct {
	Devices []Device
	// PerDevice is the number of slots of each device.
	PerDevice int
}

// Memory is what a container needs on each of its devices: at least Bytes, 0 when
// unknown, and the Share of the device that its runner always allocates, 0 for none.
type Memory struct {
	Bytes int64
	Share float64
}

// On returns the bytes that the container needs on a device.
func (m Memory) On(d Device) int64 {
	return max(m.Bytes, int64(m.Share*float64(d.MemoryBytes)))
}

// Need is a container to be placed: on how many devices, and with how much
// memory on each.
type Need struct {
	Devices int
	Takes   Memory
	// IDs are the devices that it may be placed on; nil is all.
	IDs []string
}

// allows reports whether it may use a device.
func (n Need) allows(d Device) bool { return n.IDs == nil || slices.Contains(n.IDs, d.ID) }

// MaxTotal returns the largest amount that it could allocate in total.
func (n Need) MaxTotal(devices []Device) int64 {
	return n.Takes.On(n.Largest(devices)) * int64(n.Devices)
}

// Largest returns the device with most memory that it may use.
func (n Need) Largest(devices []Device) (largest Device) {
	for _, d := range devices {
		if n.allows(d) && d.MemoryBytes > largest.MemoryBytes {
			largest = d
		}
	}
	return largest
}
