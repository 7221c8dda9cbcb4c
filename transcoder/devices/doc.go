// Package devices keeps a media worker on each GPU that the operator asked for: it
// starts one when a GPU shows, tests what the GPU can do, offers it for placement,
// takes it away when the driver loses it or reports that it failed, and tries again
// with growing pauses. A GPU that is broken never keeps the node from starting, and
// never takes another GPU along.
//
// What GPUs have in common it divides between them: the encoders that the driver of
// consumer GPUs permits on the whole machine, counted once before any GPU has
// streams, and the CPU where it encodes for several GPUs.
//
// It reads the GPUs from a device.Inventory and starts workers through a function;
// placement is transcoder/pool's.
//
// probe.go and its neighbors find out what a device really can do before it gets work: which
// codecs and pixel formats pass through it, how many hardware encoders its driver permits, what
// a session takes of its memory, and how fast it is. They do so with clips of a few frames,
// through the same engine that segments go through. A device that fails is described with its
// reason; cmd/tutti, which calls Probe at the start, and transcoder/pool, which calls
// Device.Reprobe for devices in quarantine, make of it what they want.
package devices
