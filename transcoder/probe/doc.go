// Package probe finds out what a device really can do before it gets work: which
// codecs and pixel formats pass through it, how many hardware encoders its driver
// permits, what a session takes of its memory, and how fast it is. It does so
// with clips of a few frames, through the same engine that segments go through.
//
// It decides nothing about the node: a device that fails is described with its
// reason, and cmd/tutti, which calls this at the start, and transcoder/pool, which
// calls Device.Reprobe for devices in quarantine, make of it what they want.
package probe
