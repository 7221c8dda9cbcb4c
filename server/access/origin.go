package access

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Hosts are the host names that a listener accepts.
type Hosts struct {
	names []string
	// anyIP: the listener is not on loopback. DNS cannot rebind an IP address, so every one
	// is accepted.
	anyIP bool
}

// NewHosts allows loopback names, the host of the listening address and more names. An
// address that is no host and port, as a socket's path, allows loopback names and more.
func NewHosts(listen string, more []string) Hosts {
	h := Hosts{names: append([]string{"localhost"}, more...)}
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return h
	}
	if host != "" {
		h.names = append(h.names, strings.Trim(host, "[]"))
	}
	h.anyIP = !IsLoopback(host)
	return h
}

// Allow reports whether a request's Host header names the listener.
func (h Hosts) Allow(hostport string) bool {
	host := hostport
	// The port may differ, as through an SSH tunnel.
	if name, _, err := net.SplitHostPort(hostport); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.Trim(host, "[]"), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		return h.anyIP || ip.IsLoopback() || slices.Contains(h.names, host)
	}
	return slices.ContainsFunc(h.names, func(n string) bool { return strings.EqualFold(n, host) && n != "" })
}

// IsLoopback reports whether only this machine reaches the host.
func IsLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.IsLoopback()
}

// CrossSite reports whether a browser sent the request for a page of another site, or of
// another port of this machine. Other programs send no such header, and requests of the
// address bar are the user's own.
func CrossSite(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site != "same-origin" && site != "none"
	}
	// Browsers without Sec-Fetch-Site.
	return crossSiteHeader(r, "Origin")
}

// CrossSiteReferer reports whether only the Referer names a page of another site: old
// browsers send no other header with an image or a form. It protects requests that cost or
// change something.
func CrossSiteReferer(r *http.Request) bool {
	return r.Header.Get("Sec-Fetch-Site") == "" && r.Header.Get("Origin") == "" && crossSiteHeader(r, "Referer")
}

// crossSiteHeader reports whether a header has the URL of another site.
func crossSiteHeader(r *http.Request, header string) bool {
	from := r.Header.Get(header)
	if from == "" {
		return false
	}
	u, err := url.Parse(from)
	return err != nil || !strings.EqualFold(u.Host, r.Host)
}

// Forwarded reports whether a proxy or a tunnel forwarded the request, so that the peer is
// not the client. A proxy that adds no header is not detected.
func Forwarded(r *http.Request) bool {
	for name := range r.Header {
		if slices.Contains(forwarding, name) || strings.HasPrefix(name, "X-Forwarded") {
			return true
		}
	}
	return false
}

// forwarding are the headers of proxies, content networks and tunnels besides
// X-Forwarded-…, in canonical form; read-only.
var forwarding = []string{
	"Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "X-Original-Forwarded-For",
	"X-Originating-Ip",
	"X-Remote-Ip", "X-Remote-Addr", "X-Proxyuser-Ip", "X-Envoy-External-Address", "True-Client-Ip", "Client-Ip",
	"Cf-Connecting-Ip", "Cf-Connecting-Ipv6", "Cf-Ray", "Cf-Visitor", "Cdn-Loop", "Fastly-Client-Ip", "Fly-Client-Ip",
	"X-Appengine-User-Ip", "X-Azure-Clientip", "X-Azure-Socketip", "X-Amzn-Trace-Id", "X-Vercel-Forwarded-For",
	"X-Nf-Client-Connection-Ip",
	"Proxy-Connection", "Tailscale-User-Login",
	"Livepeer-Runner-Route", // an orchestrator passed it to a live runner, which may name any port of its host
}
