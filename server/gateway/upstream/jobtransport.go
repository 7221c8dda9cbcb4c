package upstream

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core/route"
)

// defaultFirstByte is how long an answer's first byte may take: a cold model may
// have to be loaded first.
const defaultFirstByte = 5 * time.Minute

// ConnectError says that no connection came about, so that nothing was sent.
type ConnectError struct{ Err error }

// Error is the cause's text.
func (e *ConnectError) Error() string { return "connect: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *ConnectError) Unwrap() error { return e.Err }

// notSent reports whether an exchange failed before anything was sent.
func notSent(err error) bool {
	if _, ok := errors.AsType[*ConnectError](err); ok {
		return true
	}
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// jobTransport is HTTP/1.1: one job per connection, so that a client that leaves
// closes one connection and every hop sees it at once.
func jobTransport(dialer *net.Dialer) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	config := tlsConfig("http/1.1")
	plain := func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, &ConnectError{err}
		}
		return conn, nil
	}
	secure := func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, route.DialTimeout)
		defer cancel()
		conn, err := (&tls.Dialer{NetDialer: dialer, Config: config}).DialContext(ctx, network, address)
		if err != nil {
			return nil, &ConnectError{err}
		}
		return conn, nil
	}
	return &http.Transport{
		DialContext:            plain,
		DialTLSContext:         secure,
		Protocols:              protocols,
		MaxIdleConns:           4096,
		MaxIdleConnsPerHost:    1024,
		IdleConnTimeout:        5 * time.Minute, // orchestrators wait 10
		DisableCompression:     true,
		MaxResponseHeaderBytes: 64 << 10,
	}
}
