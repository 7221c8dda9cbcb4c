package orchestrator

import (
	"cmp"
	"crypto/x509"
)

// SetConnections changes the bound of connections, DefaultConnections for 0. Connections above
// a lowered bound are closed as new ones arrive.
func (s *Server) SetConnections(most int) { s.conns.SetMost(cmp.Or(most, DefaultConnections)) }

// SetPerAddress changes the bound of an address without credentials; 0 is no bound.
func (s *Server) SetPerAddress(n int) { s.conns.SetPerAddress(n) }

// SetWorkerCA changes the authorities of workers' certificates for new connections; nil
// requires no certificates. Registered workers stay.
func (s *Server) SetWorkerCA(ca *x509.CertPool) { s.workerCA.Store(ca) }
