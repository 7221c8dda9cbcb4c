package http1

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// target is a request's destination; connections are pooled by it.
type target struct {
	secure bool
	// name is the host as certificates have it, address with the port.
	name, address string
}

// targetOf reads a URL's scheme and host.
func targetOf(u *url.URL) (target, error) {
	var t target
	port := "80"
	switch u.Scheme {
	case "http":
	case "https":
		t.secure, port = true, "443"
	default:
		return t, unsendable("the scheme %q is neither http nor https", u.Scheme)
	}
	if u.Host == "" || !httpguts.ValidHostHeader(u.Host) {
		return t, unsendable("the URL has no usable host")
	}
	if t.name = u.Hostname(); t.name == "" {
		return t, unsendable("the URL has no usable host")
	}
	t.address = u.Host
	if u.Port() == "" {
		t.address = net.JoinHostPort(t.name, port)
	}
	return t, nil
}

// dialResult is the result of a dial.
type dialResult struct {
	c   *conn
	err error
}

// connection makes a new connection in its own goroutine: dialing needs a deep stack, which
// the request's goroutine would keep for the duration of the answer.
func (t *Transport) connection(ctx context.Context, to target) (*conn, error) {
	leave, err := t.gates.enter(ctx, to)
	if err != nil {
		return nil, &ConnectError{err}
	}
	done := make(chan dialResult, 1)
	go func() {
		c, err := t.dial(ctx, to)
		leave()
		done <- dialResult{c, err}
	}()
	d := <-done // ctx ends the dial too
	return d.c, d.err
}

// dial makes a new connection. Its errors are ConnectErrors.
func (t *Transport) dial(ctx context.Context, to target) (*conn, error) {
	raw, err := t.connect(ctx, to)
	if err != nil {
		return nil, &ConnectError{err}
	}
	if !to.secure {
		return newConn(to, raw, raw, &t.buffers), nil
	}
	config := t.opt.TLS
	if config.ServerName == "" {
		config = config.Clone()
		config.ServerName = strings.TrimSuffix(to.name, ".")
	}
	ctx, cancel := context.WithTimeout(ctx, t.opt.DialTimeout)
	defer cancel()
	secured := tls.Client(raw, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		_ = raw.Close()
		return nil, &ConnectError{fmt.Errorf("TLS with %s: %w", to.address, err)}
	}
	return newConn(to, raw, secured, &t.buffers), nil
}

func (t *Transport) connect(ctx context.Context, to target) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, t.opt.DialTimeout)
	defer cancel()
	return t.opt.Dial(ctx, "tcp", to.address)
}
