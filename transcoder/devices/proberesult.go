package devices

import (
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
)

// ProbeForm is the number of the test's form. Raise it with each change of what the test tries
// or of what its figures mean: a process does not take over results of another form.
const ProbeForm = 1

// ProbeResult is what the test of a device found.
type ProbeResult struct {
	Device string
	// Fault is why the device can do no work, DeviceTestFailed around its cause; nil
	// when it can.
	Fault *fault.Fault
	// Capabilities are those that the device has shown, and those that every
	// transcoder has. Empty with a Fault.
	Capabilities capability.Set
	// Missing are the capabilities that it has not shown.
	Missing []Missing
	// EncoderSessions is how many hardware encoders it may have open, 0 when no limit
	// was found or there are none.
	EncoderSessions int
	// NoEncoder says that the device has no hardware encoder, or none that the engine
	// reaches: the CPU encodes.
	NoEncoder bool
	// SessionMemory and RenditionMemory are as in device.Resources, 0 when not measured.
	SessionMemory, RenditionMemory int64
	// Cost is as in device.Resources, 0 when not measured.
	Cost float64
	// Took is how long the test took.
	Took time.Duration
}

// Missing is a capability that a device lacks, and how that showed.
type Missing struct {
	ID  capability.ID
	Err error
}

// Offer is base with everything that was measured.
func (r ProbeResult) Offer(base device.Resources) device.Resources {
	base.Capabilities.Bits = r.Capabilities
	base.EncoderSessions = r.EncoderSessions
	base.SessionMemory, base.RenditionMemory = r.SessionMemory, r.RenditionMemory
	base.Cost = r.Cost
	return base
}
