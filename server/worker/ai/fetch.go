package ai

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
)

var (
	errAway      = errors.New("it leads to another host")
	errLinkLocal = errors.New("it leads into the network of this machine alone")
)

// fetcher is a client for the inputs of jobs. As every worker of the network it takes
// any certificate: the address came over the registration. What an orchestrator may not
// have fetched is what is only for this machine to see, as a cloud's metadata.
func fetcher() *http.Client {
	d := &net.Dialer{ControlContext: control}
	return &http.Client{
		Transport: &http.Transport{
			DialContext:            d.DialContext,
			TLSClientConfig:        &tls.Config{InsecureSkipVerify: true},
			DisableKeepAlives:      true,
			DisableCompression:     true,
			MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > 4 || req.URL.Host != via[0].URL.Host || req.URL.Scheme != via[0].URL.Scheme {
				return errAway
			}
			return nil
		},
	}
}

type nearKey struct{}

// near lets an input be fetched from a link-local address: of an orchestrator that is
// there itself.
func near(ctx context.Context, u *url.URL, orchestrator string) context.Context {
	host, _, err := net.SplitHostPort(orchestrator)
	if err != nil || !strings.EqualFold(host, u.Hostname()) {
		return ctx
	}
	return context.WithValue(ctx, nearKey{}, true)
}

// control looks at the address that a name has led to.
func control(ctx context.Context, _, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if to.Addr().Unmap().IsLinkLocalUnicast() && ctx.Value(nearKey{}) == nil {
		return errLinkLocal
	}
	return nil
}
