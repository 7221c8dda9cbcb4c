package orchestrator

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/doctor"
)

const probeTimeout = 5 * time.Second

// probeAddress connects to the node's own address as a gateway would. leaf is our certificate, nil
// when a proxy adds TLS, so that any successful answer counts.
func probeAddress(ctx context.Context, uri string, leaf func() []byte) doctor.ReachEvidence {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	e := doctor.ReachEvidence{Local: localAddress(ctx, uri)}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, uri+"/healthz", nil)
	if err != nil {
		e.Err = err
		return e
	}
	client := &http.Client{
		Transport: &http.Transport{
			// The network's certificates are self-signed; ours is compared below.
			TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
			DisableKeepAlives: true,
			// Another server may answer at the address.
			MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := client.Do(req)
	if err != nil {
		e.Err = err
		// A server that does not speak TLS counts as an answer.
		_, garbled := errors.AsType[tls.RecordHeaderError](err)
		e.Answered = garbled
		return e
	}
	_ = resp.Body.Close()
	e.Answered = true
	e.Ours = resp.StatusCode == http.StatusOK && ownCertificate(resp.TLS, leaf)
	return e
}

func ownCertificate(state *tls.ConnectionState, leaf func() []byte) bool {
	if leaf == nil || state == nil {
		return true
	}
	return len(state.PeerCertificates) > 0 && bytes.Equal(state.PeerCertificates[0].Raw, leaf())
}

// localAddress reports whether the address belongs to this machine, without a router in between.
func localAddress(ctx context.Context, uri string) bool {
	u, err := url.Parse(uri)
	if err != nil {
		return false
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Hostname())
	if err != nil {
		return false
	}
	for _, ip := range ips {
		if ip.IsLoopback() || onInterface(net.IP(ip.AsSlice())) {
			return true
		}
	}
	return false
}

// fromOutside reports whether a peer is outside this machine, its networks and the router with
// the discovered address: our own probe proves nothing.
func fromOutside(a net.Addr, discovered string) bool {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return false
	}
	ip, ok := netip.AddrFromSlice(tcp.IP)
	if !ok || !core.RoutableAddress(ip) || onInterface(tcp.IP) {
		return false
	}
	return discovered == "" || doctor.ServiceURI(ip, portOf(discovered)) != discovered
}

// onInterface reports whether an address belongs to an interface of this machine.
func onInterface(ip net.IP) bool {
	own, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, a := range own {
		if n, ok := a.(*net.IPNet); ok && n.IP.Equal(ip) {
			return true
		}
	}
	return false
}

func portOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return ""
	}
	return u.Port()
}
