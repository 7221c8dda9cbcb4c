package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/pm"
)

// proofs have every part that must turn prove that it does: a request passes through
// the public listener, the pool of devices and the rules give their locks, and the
// ledger writes. ctx bounds all of them.
func (n *node) proofs(ctx context.Context) error {
	moved := make(chan error, 1)
	go func() { moved <- n.moves(ctx) }()
	select {
	case err := <-moved:
		return err
	case <-ctx.Done():
		return errors.New("a part that must move does not answer")
	}
}

func (n *node) moves(ctx context.Context) error {
	if n.media != nil {
		n.media.Devices()
	}
	if n.live.rules != nil {
		n.live.rules.Left()
	}
	if n.earning != nil && n.earning.ledger != nil {
		// That it cannot write is a condition of its own, and no restart mends a full disk:
		// it has turned if it says anything.
		if err := n.earning.ledger.Append(ctx, pm.Entries{}); err != nil && ctx.Err() != nil {
			return fmt.Errorf("the ledger does not turn: %w", err)
		}
	}
	if l := n.live.listener; l != nil && l.Addr() != nil {
		scheme := "https://"
		if n.live.cert == nil {
			scheme = "http://"
		}
		return answers(ctx, scheme, l.Addr())
	}
	return nil
}

// answers has a listener answer at one of its addresses.
func answers(ctx context.Context, scheme string, at net.Addr) error {
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

// reachable is where a listener's address may be reached from this machine. Every address
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
