package device

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
)

// Device does media work: a CPU, a GPU, or a transcoder on another machine. Jobs of
// different sessions may run at once; jobs of one session never overlap. After Close every
// call fails.
type Device interface {
	core.Transcoder
	// Device is its name, unique in a node: "cpu", a GPU's index as the operator
	// gave it, or the name of a remote transcoder.
	Device() string
	Close() error
}

// Resources describes what a device can do and how much of it. They may change while the device
// is attached; see Attachment.
type Resources struct {
	// Capabilities, with version and units. Empty bits mean all that the node offers.
	Capabilities capability.Capabilities
	// Sessions is how many sessions it takes at once, 0 for no such number.
	Sessions int
	// EncoderSessions is how many hardware encoders it can have open at once, one per
	// rendition; 0 where there is no such number (software, professional GPUs).
	EncoderSessions int
	// Memory is the device memory, in bytes, that sessions may use together; 0 where
	// it does not matter. SessionMemory is what a session with one rendition takes
	// of it, RenditionMemory what each further one does, as measured at the start.
	Memory, SessionMemory, RenditionMemory int64
	// Cost is the real-time ratio per unit of load that the start-up test measured
	// (see transcoder.Load), 0 when nothing was measured yet.
	Cost float64
	// Remote says that the device is on another machine: its own node admits, too.
	Remote bool
}

// Placer takes devices while the node runs.
type Placer interface {
	// Attach adds a device; it gets sessions from now on. The name must be free. The
	// placer never closes what was attached.
	Attach(d Device, o Resources) (Attachment, error)
}

// Attachment controls an attached device. Its methods do not block, except Drain.
type Attachment interface {
	// Update replaces the resources.
	Update(o Resources)
	// Suspend refuses new sessions and moves existing ones to other devices at their next
	// segment, until Resume; why is shown to the operator.
	Suspend(why *fault.Fault)
	Resume()
	// Drain suspends it and waits until none of its segments is in progress or ctx ends.
	Drain(ctx context.Context) error
	// Detach removes it at once: its sessions move at their next segment; segments in
	// progress on it may still succeed.
	Detach()
}

// Use is what a device carries now, for status pages, metrics and health.
type Use struct {
	Device string
	// Sessions it has, the most that it may have (0: as measured), and its hardware
	// encoders in use.
	Sessions, Limit, Encoders int
	// Segments are in progress on it now.
	Segments int
	// Load is in requested pixels per second.
	Load int64
	// Ratio is the recent real-time ratio, below 1 when faster than real time; 0 before the
	// first segment.
	Ratio float64
	// Memory is the device memory, in bytes, that its sessions are estimated to use.
	Memory int64
	// EncoderLimit, SessionMemory and Cost are EncoderSessions, SessionMemory and Cost of
	// its Resources.
	EncoderLimit  int
	SessionMemory int64
	Cost          float64
	Remote        bool
	// Done and Failed count segments since it was attached.
	Done, Failed int64
	Since        time.Time
	// State is "ready", "quarantined", "suspended" or "draining"; Code and Reason say
	// why it is not ready.
	State  string
	Code   fault.Code
	Reason string
}

// The states of Use.
const (
	Ready       = "ready"
	Quarantined = "quarantined"
	Suspended   = "suspended"
	Draining    = "draining"
)
