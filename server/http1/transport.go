package http1

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"time"
)

// Transport sends requests and keeps connections. It is safe for concurrent use
// and starts no goroutine that outlives a call.
type Transport struct {
	opt  Options
	pool *pool
	// gates bound the connections that are being made.
	gates   gates
	buffers buffers
}

var _ http.RoundTripper = (*Transport)(nil)

// New makes a Transport.
func New(opt Options) *Transport {
	opt = opt.completed()
	return &Transport{opt: opt, pool: &pool{
		perHost: opt.IdlePerHost, most: opt.Idle, timeout: opt.IdleTimeout, hosts: make(map[target][]*conn),
	}}
}

// CloseIdleConnections closes the connections that carry no request.
func (t *Transport) CloseIdleConnections() { t.pool.clear() }

// RoundTrip sends a request and returns after the head of its answer. The request's context
// also applies to the body: when it ends, the connection is closed at once. The request's body is read in this
// goroutine and closed before RoundTrip returns. Of an httptrace.ClientTrace, GotConn is called.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	body := r.Body
	if body != nil {
		defer func() { _ = body.Close() }()
	}
	ctx := r.Context()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r.URL == nil {
		return nil, unsendable("it has no URL")
	}
	to, err := targetOf(r.URL)
	if err != nil {
		return nil, err
	}
	if c := t.pool.take(to); c != nil {
		resp, err := t.exchange(ctx, c, r, body)
		if !errors.Is(err, ErrNoAnswer) || bodyLength(r) != 0 && r.GetBody == nil {
			return resp, err
		}
		if r.GetBody != nil {
			again, err := r.GetBody()
			if err != nil {
				return nil, fmt.Errorf("read the request's body again: %w", err)
			}
			defer func() { _ = again.Close() }()
			body = again
		}
	}
	c, err := t.connection(ctx, to)
	if err != nil {
		if cause := ctx.Err(); cause != nil {
			err = cause
		}
		return nil, err
	}
	return t.exchange(ctx, c, r, body)
}

// exchange sends a request on a connection and reads the head of the answer. The answer then
// owns the connection; on an error it is closed.
func (t *Transport) exchange(ctx context.Context, c *conn, r *http.Request, body io.Reader) (*http.Response, error) {
	x := &roundTrip{t: t, c: c, ctx: ctx, head: &head{close: true}}
	if ctx.Done() != nil {
		x.stop = context.AfterFunc(ctx, c.abort)
	}
	if trace := httptrace.ContextClientTrace(ctx); trace != nil && trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{Conn: c.raw, Reused: c.reused})
	}
	c.takeBuffer()
	h, err := x.converse(r, body)
	if err != nil {
		x.finish(false)
		return nil, x.preferContext(err)
	}
	x.head = h
	h.close = h.close || r.Close
	return x.response(r), nil
}

// converse writes the request and reads the head. A server may answer and close the connection
// before it has the whole request, so the answer is read even after a failed write.
func (x *roundTrip) converse(r *http.Request, body io.Reader) (*head, error) {
	c, opt := x.c, &x.t.opt
	written := c.writeRequest(r, body, opt.WriteTimeout)
	wait := opt.HeaderTimeout
	if written != nil {
		if _, ours := errors.AsType[*errBody](written); ours {
			return nil, written
		}
		x.dirty = true
		wait = time.Second
	}
	if wait > 0 {
		_ = c.raw.SetReadDeadline(time.Now().Add(wait))
	}
	h, err := c.readHead(opt.MaxHeader, interimOf(x.ctx))
	if wait > 0 {
		_ = c.raw.SetReadDeadline(time.Time{})
	}
	switch {
	case err == nil:
		return h, nil
	case errors.Is(written, errAnswered) && errors.Is(err, ErrNoAnswer):
		// The readable event was the connection's end.
	case written != nil && !c.answered && !isReset(written):
		return nil, fmt.Errorf("write the request to %s: %w", r.URL.Host, written)
	case written != nil && !c.answered:
		return nil, fmt.Errorf("write the request to %s: %w: %w", r.URL.Host, ErrNoAnswer, written)
	}
	return nil, fmt.Errorf("read the answer of %s: %w", r.URL.Host, err)
}

// interimKey is the context key of WithInterim.
type interimKey struct{}

// WithInterim calls f with a request's interim answers, those below status 200, before
// RoundTrip returns and in its goroutine.
func WithInterim(ctx context.Context, f func(status int, h http.Header)) context.Context {
	return context.WithValue(ctx, interimKey{}, f)
}

func interimOf(ctx context.Context) func(int, http.Header) {
	f, _ := ctx.Value(interimKey{}).(func(int, http.Header))
	return f
}

// response builds the answer from a head.
func (x *roundTrip) response(r *http.Request) *http.Response {
	h := x.head
	resp := &http.Response{
		Status: statusText(h), StatusCode: h.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: h.minor,
		Header: h.header, ContentLength: h.length, Close: h.close, Request: r, TLS: x.c.tls,
	}
	if h.minor == 0 {
		resp.Proto = "HTTP/1.0"
	}
	if h.chunked {
		resp.TransferEncoding = chunkedCoding
	}
	if bodyless(r.Method, h.status) || h.length == 0 {
		if r.Method != http.MethodHead {
			resp.ContentLength = 0
		}
		resp.Body = http.NoBody
		// A 204 that announces a body may send one.
		x.finish(h.status != http.StatusNoContent || !h.chunked && h.length <= 0)
		return resp
	}
	b := &body{rt: x, left: h.length}
	if h.chunked {
		b.chunks = &chunks{}
	}
	resp.Body = b
	return resp
}

// chunkedCoding is shared by answers. Read-only.
var chunkedCoding = []string{"chunked"}

// statusText is "200 OK"; it allocates only for unusual texts.
func statusText(h *head) string {
	if h.status == http.StatusOK && h.reason == "OK" {
		return "200 OK"
	}
	return fmt.Sprintf("%03d %s", h.status, h.reason)
}
