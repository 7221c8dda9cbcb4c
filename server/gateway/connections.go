package gateway

import (
	"github.com/tuttinode/tutti/server/admission"
)

// maxConnections bounds connections even if the system would allow more.
const maxConnections = 25000

// newGate bounds the listener's connections. Players and encoders do not authenticate at this
// level, so an address is limited in how many of its requests are read at once. Programs of the own
// machine, such as a reverse proxy, are not limited.
func newGate(opt *Options) *admission.Gate {
	return admission.New(admission.Options{
		Most: opt.Limits.Connections, PerAddress: opt.Limits.PerAddress, Known: opt.Limits.Known, HeadersOnly: true,
		LocalFree: true,
		Scarce:    opt.Scarce, Now: opt.Now, Log: opt.Log,
	})
}

// SetConnections changes the limit of connections; connections above a lowered limit are closed as
// new ones arrive. 0 and values above the system's limit select the default.
func (g *Gateway) SetConnections(most int) {
	if most <= 0 {
		most = openFiles() * 8 / 10
	}
	g.conns.SetMost(most)
}

// SetPerAddress changes how many requests of one address are read at once; 0 is unlimited.
func (g *Gateway) SetPerAddress(n int) { g.conns.SetPerAddress(n) }
