package gateway

import (
	"github.com/tuttinode/tutti/server/admission"
)

// maxConnections bounds connections where the system would allow more.
const maxConnections = 25000

// newGate bounds the listener's connections. Players and encoders prove nothing here:
// what an address may do at once is to have its requests read. Programs of the own
// machine, such as a reverse proxy, are not bounded.
func newGate(opt *Options) *admission.Gate {
	return admission.New(admission.Options{
		Most: opt.Limits.Connections, PerAddress: opt.Limits.PerAddress, Known: opt.Limits.Known, HeadersOnly: true, LocalFree: true,
		Scarce: opt.Scarce, Now: opt.Now, Log: opt.Log,
	})
}

// SetConnections changes the bound of connections; those above a lowered one go as new
// ones come. 0 and what the system does not allow are taken as at the start.
func (g *Gateway) SetConnections(most int) {
	if most <= 0 {
		most = openFiles() * 8 / 10
	}
	g.conns.SetMost(most)
}

// SetPerAddress changes how many requests of one address are read at once; 0 is no bound.
func (g *Gateway) SetPerAddress(n int) { g.conns.SetPerAddress(n) }
