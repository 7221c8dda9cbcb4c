package admin

import (
	"net"
	"net/http"

	"golang.org/x/net/netutil"

	"github.com/tuttinode/tutti/server/admission"
)

// bounded bounds the connections of a listener. Remote clients without a token have only a
// part of them, so that their connections lock out neither the operator nor a supervisor's
// probes, which would otherwise restart the node.
func (s *Server) bounded(l net.Listener, server *http.Server) net.Listener {
	if _, ok := l.Addr().(*net.TCPAddr); !ok {
		return netutil.LimitListener(l, maxConnections)
	}
	gate := admission.New(admission.Options{
		Most: maxConnections, PerAddress: admission.DefaultPerAddress, LocalFree: true, Log: s.opts.Log,
	})
	gate.Server(server, nil)
	return gate.Listener(l)
}
