// Package origin says where an HTTP request comes from, as far as its headers tell: by
// which name the listener was called, whether a browser asks for a page of another
// site, and whether a proxy brought the request.
//
// Browsers let a page talk to any address that its own name resolves to, so a listener
// on loopback has to know its names. The package decides nothing about users and keys;
// the admin API and the gateway are its callers.
package origin

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Hosts are the names a request may call a listener by.
type Hosts struct {
	names []string
	// anyIP: the listener is not on loopback. An address cannot be rebound by
	// DNS, so every one is fine.
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

// Foreign reports whether a browser says that a page of another site asks, or of
// another port of this machine. Programs say nothing of the kind, and what a browser's
// address bar sends is the user's own.
func Foreign(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site != "same-origin" && site != "none"
	}
	// Browsers without Sec-Fetch-Site.
	return Elsewhere(r, "Origin")
}

// Linked reports whether nothing but a link tells of a page of another site: old browsers
// send no other header with an image or a form. It is for what costs or changes
// something.
func Linked(r *http.Request) bool {
	return r.Header.Get("Sec-Fetch-Site") == "" && r.Header.Get("Origin") == "" && Elsewhere(r, "Referer")
}

// Elsewhere reports whether a header has the address of another site.
func Elsewhere(r *http.Request, header string) bool {
	from := r.Header.Get(header)
	if from == "" {
		return false
	}
	u, err := url.Parse(from)
	return err != nil || !strings.EqualFold(u.Host, r.Host)
}

// Forwarded reports whether a proxy or a tunnel brought the request: then the peer is
// the proxy, and who asks is elsewhere. A proxy that adds no header is not noticed.
func Forwarded(r *http.Request) bool {
	for name := range r.Header {
		if slices.Contains(forwarding, name) || strings.HasPrefix(name, "X-Forwarded") {
			return true
		}
	}
	return false
}

// forwarding are the headers of proxies, content networks and tunnels beside
// X-Forwarded-…, in canonical form; read-only.
var forwarding = []string{
	"Forwarded", "Via", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "X-Original-Forwarded-For",
	"X-Originating-Ip",
	"X-Remote-Ip", "X-Remote-Addr", "X-Proxyuser-Ip", "X-Envoy-External-Address", "True-Client-Ip", "Client-Ip",
	"Cf-Connecting-Ip", "Cf-Connecting-Ipv6", "Cf-Ray", "Cf-Visitor", "Cdn-Loop", "Fastly-Client-Ip", "Fly-Client-Ip",
	"X-Appengine-User-Ip", "X-Azure-Clientip", "X-Azure-Socketip", "X-Amzn-Trace-Id", "X-Vercel-Forwarded-For",
	"X-Nf-Client-Connection-Ip",
	"Proxy-Connection", "Tailscale-User-Login",
}
