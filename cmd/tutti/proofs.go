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
	for _, url := range n.ownURLs() {
		if err := accepts(ctx, url); err != nil {
			return err
		}
	}
	return nil
}

// ownURLs lead to the node's own listeners.
func (n *node) ownURLs() (out []string) {
	if l := n.live.listener; l != nil && l.Addr() != nil {
		scheme := "https://"
		if n.live.cert == nil {
			scheme = "http://"
		}
		out = append(out, scheme+reachable(l.Addr())+"/healthz")
	}
	return out
}

// reachable is where a listener's address is reached from this machine.
func reachable(at net.Addr) string {
	host, port, err := net.SplitHostPort(at.String())
	ip := net.ParseIP(host)
	switch {
	case err != nil || ip != nil && !ip.IsUnspecified():
		return at.String()
	case ip != nil && ip.To4() == nil:
		return net.JoinHostPort("::1", port)
	}
	// By number: a machine need not know what localhost is.
	return net.JoinHostPort("127.0.0.1", port)
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
