package orchestrator

import (
	"net/http"
	"sync"

	"github.com/tuttinode/tutti/core/orchestrate"
)

const (
	// maxCredentials bounds the headers that are remembered, maxCredential the
	// length of one: a job's are about 300 characters.
	maxCredentials = 1024
	maxCredential  = 4 << 10
)

// credentials remembers what the headers of AI jobs without payment say. A gateway
// sends the same ones with every job of a session, and reading them is a good part
// of what a short job costs. Nothing is decided here: what was read is checked
// each time.
type credentials struct {
	mu    sync.Mutex
	known map[string]orchestrate.SegmentRequest // guarded by mu
}

// read is readRequest. The result is shared: it must not be changed.
func (c *credentials) read(h http.Header) (orchestrate.SegmentRequest, error) {
	key := h.Get(segmentHeader)
	if h.Get(paymentHeader) != "" || len(key) > maxCredential {
		return readRequest(h)
	}
	c.mu.Lock()
	req, ok := c.known[key]
	c.mu.Unlock()
	if ok {
		return req, nil
	}
	req, err := readRequest(h)
	if err != nil {
		return req, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= maxCredentials || c.known == nil {
		// Sessions in use are back at once.
		c.known = make(map[string]orchestrate.SegmentRequest)
	}
	c.known[key] = req
	return req, nil
}
