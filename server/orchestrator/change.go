package orchestrator

import (
	"cmp"
	"crypto/x509"
)

// SetConnections changes the bound of connections, DefaultConnections for 0. Those
// above a lowered bound go as new ones come.
func (s *Server) SetConnections(most int) { s.conns.SetMost(cmp.Or(most, DefaultConnections)) }

// SetPerAddress changes what one address may do that has not shown valid credentials; 0
// is no bound.
func (s *Server) SetPerAddress(n int) { s.conns.SetPerAddress(n) }

// SetWorkerCA changes the authorities of workers' certificates. A listener that asked
// for none asks from its next connection on, one that asked for some goes on with
// others; nil stops asking. Workers that are registered stay.
func (s *Server) SetWorkerCA(ca *x509.CertPool) { s.workerCA.Store(ca) }
