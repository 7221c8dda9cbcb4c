package orchestrator

import (
	"net/http"
	"sync"

	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/server/rpc"
)

const (
	// maxCredentials bounds the cached headers, maxCredential the length of one: a job's are
	// about 300 characters.
	maxCredentials = 1024
	maxCredential  = 4 << 10
)

// credentials caches the parsed headers of AI jobs except the payment. A gateway sends the
// same headers with every job of a session, and parsing them is a large part of a short job's
// cost. The parsed headers are still verified each time.
type credentials struct {
	mu    sync.Mutex
	known map[string]orchestrate.SegmentRequest // guarded by mu
}

// read is readRequest with the cache. The result is shared and must not be changed.
func (c *credentials) read(h http.Header) (orchestrate.SegmentRequest, error) {
	var payment *rpc.Payment
	if text := h.Get(rpc.PaymentHeader); text != "" {
		var err error
		if payment, err = rpc.DecodePayment(text); err != nil {
			return orchestrate.SegmentRequest{}, err
		}
	}
	req, err := c.segment(h.Get(rpc.SegmentHeader))
	if err == nil && payment != nil {
		addPayment(&req, payment)
	}
	return req, err
}

// segment is readSegment with the cache.
func (c *credentials) segment(header string) (orchestrate.SegmentRequest, error) {
	if len(header) > maxCredential {
		return readSegment(header)
	}
	c.mu.Lock()
	req, ok := c.known[header]
	c.mu.Unlock()
	if ok {
		return req, nil
	}
	req, err := readSegment(header)
	if err != nil {
		return req, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= maxCredentials || c.known == nil {
		// Active sessions are cached again with their next job.
		c.known = make(map[string]orchestrate.SegmentRequest)
	}
	c.known[header] = req
	return req, nil
}
