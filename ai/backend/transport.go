package backend

import (
	"context"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// transport is the default transport. Some servers close a connection after a streamed
// answer without announcing it, so that the next request on it gets no byte. Such a request
// was not processed, and is sent once more on a fresh connection.
type transport struct {
	pooled, fresh *http.Transport
}

func newTransport() *transport {
	dialer := &net.Dialer{Timeout: 5 * time.Second, KeepAlive: 15 * time.Second}
	pooled := &http.Transport{
		DialContext:           dialer.DialContext,
		TLSHandshakeTimeout:   5 * time.Second,
		ExpectContinueTimeout: time.Second,
		MaxIdleConnsPerHost:   256,
		IdleConnTimeout:       time.Minute,
		// Answers pass as they are.
		DisableCompression: true,
		ForceAttemptHTTP2:  true,
		// A model's container is untrusted, and headers are read into memory.
		MaxResponseHeaderBytes: 64 << 10,
	}
	fresh := pooled.Clone()
	fresh.DisableKeepAlives = true
	return &transport{pooled: pooled, fresh: fresh}
}

// RoundTrip sends the request, a second time if the first found a dead connection.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	var reused, answered atomic.Bool
	ctx := httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
		GotConn:              func(c httptrace.GotConnInfo) { reused.Store(c.Reused) },
		GotFirstResponseByte: func() { answered.Store(true) },
	})
	resp, err := t.pooled.RoundTrip(r.WithContext(ctx))
	if err == nil || !reused.Load() || answered.Load() || r.Context().Err() != nil {
		return resp, err
	}
	again, ok := repeat(r.Context(), r)
	if !ok {
		return nil, err
	}
	return t.fresh.RoundTrip(again)
}

// repeat returns the request from its beginning, if its body can be read again.
func repeat(ctx context.Context, r *http.Request) (*http.Request, bool) {
	again := r.Clone(ctx)
	if r.Body == nil || r.Body == http.NoBody {
		return again, true
	}
	if r.GetBody == nil {
		return nil, false
	}
	body, err := r.GetBody()
	again.Body = body
	return again, err == nil
}

// close closes the idle connections.
func (t *transport) close() {
	t.pooled.CloseIdleConnections()
	t.fresh.CloseIdleConnections()
}
