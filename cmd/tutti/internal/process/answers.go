package process

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Answers has a listener answer at one of its addresses.
func Answers(ctx context.Context, scheme string, at net.Addr) error {
	var all []error
	for _, authority := range reachable(at) {
		err := accepts(ctx, scheme+authority+"/healthz")
		if err == nil {
			return nil
		}
		all = append(all, err)
	}
	return errors.Join(all...)
}

// reachable returns where a listener's address may be reached from this machine. Every address
// of both families is the listener's as a rule, but the machine may have no IPv6, or the
// socket no IPv4.
func reachable(at net.Addr) []string {
	host, port, err := net.SplitHostPort(at.String())
	ip := net.ParseIP(host)
	if err != nil || ip != nil && !ip.IsUnspecified() {
		return []string{at.String()}
	}
	// By number: a machine need not know what localhost is.
	out := []string{net.JoinHostPort("127.0.0.1", port)}
	if ip.To4() == nil {
		out = append(out, net.JoinHostPort("::1", port))
	}
	return out
}

// accepts has a listener take a connection and answer. Whatever it answers will do.
func accepts(ctx context.Context, url string) error {
	transport := &http.Transport{
		// It is our own certificate that is not looked at: nothing is sent or believed.
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true, ResponseHeaderTimeout: time.Minute,
	}
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return fmt.Errorf("the listener does not answer: %w", err)
	}
	return resp.Body.Close()
}
