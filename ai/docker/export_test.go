package docker

import (
	"io"
	"net/netip"
)

// What is tested without an engine.
var Follow = follow

// Tail is the end of a container's output, and its last complaint.
func Tail(r io.Reader, n int) ([]string, string, error) {
	out, err := tail(r, n)
	return out.lines, out.lastStderr, err
}

// Environment and Labels are what Create gives a container.
func (s *Spec) Environment() []string                    { return s.environment(nil) }
func (s *Spec) AllLabels(owner string) map[string]string { return s.labels(owner) }

// Elsewhere has the engine's networks not be this machine's.
func (e *Engine) Elsewhere() { e.isLocal = func(string, netip.Addr) bool { return false } }

// DefaultMemory is what a container may take of a machine.
var DefaultMemory = defaultMemory

// Block is a range of addresses for containers.
type Block = subnetPool

func (b *subnetPool) Begin(all netip.Prefix)                   { b.reset(all) }
func (b *subnetPool) Take() (netip.Prefix, bool)               { return b.acquire() }
func (b *subnetPool) Hold(subnet netip.Prefix, network string) { b.assign(subnet, network) }
func (b *subnetPool) Free(network string)                      { b.release(network) }
