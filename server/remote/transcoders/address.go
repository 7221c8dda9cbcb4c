package transcoders

import (
	"net/url"
	"strings"

	"github.com/tuttinode/tutti/server/remote"
)

// baseURL is this node's address for a transcoder: the one that it dialed, because the
// service address may not work behind NAT or in a private network.
func (s *Service) baseURL(conn *remote.StreamConn) string {
	if !plainHost(conn.Host()) {
		return strings.TrimSuffix(s.opt.ServiceURI(), "/")
	}
	if conn.Secure() {
		return "https://" + conn.Host()
	}
	return "http://" + conn.Host()
}

// plainHost reports whether a request's host is nothing but a host, perhaps with a
// port. It becomes part of an address, so that nothing else may be in it.
func plainHost(host string) bool {
	const most = 300
	if host == "" || len(host) > most || strings.ContainsAny(host, "@/\\?#% ") {
		return false
	}
	u, err := url.Parse("https://" + host)
	return err == nil && u.Host == host && u.Hostname() != ""
}
