package http1

import (
	"context"
	"crypto/tls"
	"net"
	"time"
)

// Options are a Transport's settings. The zero value is usable.
type Options struct {
	// TLS is for https. Without a ClientSessionCache it gets one. It is not changed.
	TLS *tls.Config
	// Dial makes connections; nil is the net package's dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// DialTimeout bounds connecting and, again, the TLS handshake; 0 is 10 s.
	DialTimeout time.Duration
	// HeaderTimeout bounds the wait for an answer's head after the request was
	// written; 0 waits as long as the request's context lets it.
	HeaderTimeout time.Duration
	// WriteTimeout bounds how long writing a body may stand still; 0 is 30 s.
	WriteTimeout time.Duration
	// IdleTimeout is how long a connection is kept without a request; 0 is 90 s.
	// A shorter time in the server's Keep-Alive takes precedence.
	IdleTimeout time.Duration
	// IdlePerHost and Idle bound the connections that are kept; 0 is 256 and 4096.
	IdlePerHost, Idle int
	// MaxHeader bounds an answer's head in bytes; 0 is 64 KiB.
	MaxHeader int
}

// completed fills in the defaults.
func (o Options) completed() Options {
	orTime := func(d *time.Duration, preset time.Duration) {
		if *d <= 0 {
			*d = preset
		}
	}
	orInt := func(n *int, preset int) {
		if *n <= 0 {
			*n = preset
		}
	}
	orTime(&o.DialTimeout, 10*time.Second)
	orTime(&o.WriteTimeout, 30*time.Second)
	orTime(&o.IdleTimeout, 90*time.Second)
	orInt(&o.IdlePerHost, 256)
	orInt(&o.Idle, 4096)
	orInt(&o.MaxHeader, 64<<10)
	o.MaxHeader = max(o.MaxHeader, bufferSize)
	if o.Dial == nil {
		o.Dial = (&net.Dialer{KeepAlive: 30 * time.Second}).DialContext
	}
	if o.TLS == nil {
		o.TLS = &tls.Config{}
	} else {
		o.TLS = o.TLS.Clone()
	}
	if o.TLS.ClientSessionCache == nil {
		o.TLS.ClientSessionCache = tls.NewLRUClientSessionCache(0)
	}
	o.TLS.NextProtos = []string{"http/1.1"}
	return o
}
