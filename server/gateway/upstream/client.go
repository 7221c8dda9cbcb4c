package upstream

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fetchurl"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/videorouting"
)

// Options of a Client.
type Options struct {
	Payments Payments
	// Now is the clock by which tokens expire; default time.Now.
	Now func() time.Time
	// Jobs carries AI jobs; default HTTP/1.1 with certificates unchecked. An error
	// from it that is an *h1.ConnectError, or a net.OpError of a dial, says that
	// nothing was sent.
	Jobs http.RoundTripper
	// Limits are how long answers to AI jobs may take.
	Limits inference.Limits
	// Stores are private networks in which renditions may be fetched, beside public
	// addresses and the orchestrator's own host.
	Stores fetchurl.Networks
	// Node is by what name our own nodes know this one, "tutti/1.2.3".
	Node string
}

// Client talks to all orchestrators of a gateway and keeps its connections.
// Safe for concurrent use. Close waits for what it started.
type Client struct {
	payments Payments
	now      func() time.Time
	calls    *calls
	// bulk carries segments and downloads from the orchestrator's own host;
	// foreign carries downloads from elsewhere.
	bulk, foreign *http.Transport
	jobs          http.RoundTripper
	limits        inference.Limits
	node          []string // the header by which our own nodes know us

	// ctx ends with Close; wg are the discoveries that outlive their callers.
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
}

// New makes a client. It opens no connection.
func New(opt Options) *Client {
	if opt.Payments == nil {
		opt.Payments = FreePayments{}
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	dialer := &net.Dialer{Timeout: videorouting.DialTimeout, KeepAlive: 30 * time.Second}
	elsewhere := &net.Dialer{Timeout: videorouting.DialTimeout, KeepAlive: 30 * time.Second, Control: guarded(opt.Stores)}
	c := &Client{
		payments: opt.Payments,
		now:      opt.Now,
		calls:    newCalls(),
		bulk:     bulkTransport(dialer),
		foreign:  bulkTransport(elsewhere),

		jobs:   opt.Jobs,
		limits: opt.Limits.OrDefault(),
		node:   []string{opt.Node},
	}
	c.bulk.DialContext = atHome(dialer.DialContext)
	if c.jobs == nil {
		c.jobs = jobTransport(dialer)
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// Close ends discoveries that still run and closes the connections. Requests in
// flight are their callers' to end.
func (c *Client) Close() {
	c.cancel()
	c.wg.Wait()
	c.calls.close()
	c.bulk.CloseIdleConnections()
	c.foreign.CloseIdleConnections()
	if idle, ok := c.jobs.(interface{ CloseIdleConnections() }); ok {
		idle.CloseIdleConnections()
	}
}

// tlsConfig is how the network's nodes meet: encrypted, certificates unchecked,
// because orchestrators sign their own. Sessions are resumed.
func tlsConfig(protocols ...string) *tls.Config {
	return &tls.Config{
		InsecureSkipVerify: true, // the network's rule; tokens and signatures carry the trust
		NextProtos:         protocols,
		ClientSessionCache: tls.NewLRUClientSessionCache(256),
		// Segments are large from their first byte: small records would only cost.
		DynamicRecordSizingDisabled: true,
	}
}

// bulkTransport is HTTP/1.1: on one connection per transfer a segment goes out
// in large writes, without the frames and windows of HTTP/2. Orchestrators take
// both; see BenchmarkHandOver for what the difference is.
func bulkTransport(dialer *net.Dialer) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		DialContext:         dialer.DialContext,
		Protocols:           protocols,
		TLSClientConfig:     tlsConfig("http/1.1"),
		TLSHandshakeTimeout: videorouting.DialTimeout,
		MaxIdleConns:        512,
		MaxIdleConnsPerHost: 64,
		IdleConnTimeout:     5 * time.Minute, // orchestrators wait 10
		WriteBufferSize:     64 << 10,
		ReadBufferSize:      64 << 10,
		DisableCompression:  true,
		// Answers are small; whoever sends more is not an orchestrator.
		MaxResponseHeaderBytes: 64 << 10,
	}
}
