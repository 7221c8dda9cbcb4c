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
	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/core/videorouting"
)

// Options of a Client.
type Options struct {
	Payments Payments
	// Now is the clock by which tokens expire; default time.Now.
	Now func() time.Time
	// Jobs carries AI jobs; default HTTP/1.1 without certificate checks. An error that is an
	// *http1.ConnectError, or a net.OpError of a dial, says that nothing was sent.
	Jobs http.RoundTripper
	// Limits are how long answers to AI jobs may take.
	Limits inference.Limits
	// Stores are private networks from which renditions may be fetched, besides public addresses
	// and the orchestrator's own host.
	Stores fetchurl.Networks
	// Node is this node's name for our own nodes, "tutti/1.2.3".
	Node string
	// Events gets the results of discoveries; nil sends nothing.
	Events telemetry.EventSink
}

// Client talks to all orchestrators of a gateway and keeps its connections.
// Safe for concurrent use. Close waits for what it started.
type Client struct {
	payments Payments
	now      func() time.Time
	conns    *connPool
	// bulk carries segments and downloads from the orchestrator's own host; foreign carries
	// downloads from other hosts.
	bulk, foreign *http.Transport
	jobs          http.RoundTripper
	limits        inference.Limits
	node          []string // the header by which our own nodes know us
	events        telemetry.EventSink

	// ctx ends with Close; wg counts the discoveries that outlive their callers.
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
	elsewhere := &net.Dialer{Timeout: videorouting.DialTimeout, KeepAlive: 30 * time.Second,
		Control: publicOnly(opt.Stores)}
	c := &Client{
		payments: opt.Payments,
		now:      opt.Now,
		conns:    newConnPool(),
		bulk:     bulkTransport(dialer),
		foreign:  bulkTransport(elsewhere),

		jobs:   opt.Jobs,
		limits: opt.Limits.OrDefault(),
		node:   []string{opt.Node},
		events: opt.Events,
	}
	c.bulk.DialContext = DialRecordedPeer(dialer.DialContext)
	if c.jobs == nil {
		c.jobs = jobTransport(dialer)
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// Close cancels running discoveries and closes the connections. The callers end their requests in
// flight.
func (c *Client) Close() {
	c.cancel()
	c.wg.Wait()
	c.conns.close()
	c.bulk.CloseIdleConnections()
	c.foreign.CloseIdleConnections()
	if idle, ok := c.jobs.(interface{ CloseIdleConnections() }); ok {
		idle.CloseIdleConnections()
	}
}

// tlsConfig returns the network's convention: encrypted, certificates unchecked, because orchestrators
// sign their own. Sessions are resumed.
func tlsConfig(protocols ...string) *tls.Config {
	return &tls.Config{
		InsecureSkipVerify: true, // the network's rule; tokens and signatures carry the trust
		NextProtos:         protocols,
		ClientSessionCache: tls.NewLRUClientSessionCache(256),
		// Segments are large from their first byte: small records would only cost.
		DynamicRecordSizingDisabled: true,
	}
}

// bulkTransport is HTTP/1.1: with one connection per transfer a segment is sent in large writes,
// without HTTP/2's frames and windows. Orchestrators accept both; see BenchmarkHandOver for the
// difference.
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
		// Answers are small; larger ones are not from an orchestrator.
		MaxResponseHeaderBytes: 64 << 10,
	}
}
