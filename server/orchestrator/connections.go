package orchestrator

import (
	"net"
	"net/http"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admission"
)

// newGate bounds the listener's connections, in total and per address without credentials.
func newGate(opt *Options) *admission.Gate {
	log := opt.Log
	return admission.New(admission.Options{
		Most: opt.Connections, PerAddress: opt.PerAddress, Known: opt.Known, Scarce: opt.Scarce, Now: opt.Now, Log: log,
		Full: func() {
			log.Warn("connection limit reached, closing the longest idle ones",
				fault.Attr(fault.New(fault.TooManyConnections, "accept", "")))
		},
	})
}

// peerSeen reports the address of a peer with a request.
func (s *Server) peerSeen(conn net.Conn, state http.ConnState) {
	if s.opt.PeerSeen != nil && state == http.StateActive {
		s.opt.PeerSeen(conn.RemoteAddr())
	}
}

// Connections returns the number of open connections of the public listener, and the bound.
func (s *Server) Connections() (open, most int) { return s.conns.Connections() }
