package upstream

import (
	"errors"
	"net"
	"time"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/server/http1"
)

// ownQueue is how long a job may wait for its slot at a tutti orchestrator; others
// refuse jobs without a free slot at once.
const ownQueue = 30 * time.Second

// answerTimeout returns how long a job's answer may take to begin.
func (c *Client) answerTimeout(t *Terms, job *inference.Job) time.Duration {
	switch {
	case !t.Model.Warm:
		return c.limits.Whole // the model may have to be loaded first
	case t.Node != "":
		return c.limits.Begin(job) + ownQueue
	}
	return c.limits.Begin(job)
}

// notSent reports whether a call failed before anything was sent.
func notSent(err error) bool {
	if _, ok := errors.AsType[*http1.ConnectError](err); ok {
		return true
	}
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// jobTransport is HTTP/1.1 with one job per connection, so that a client that leaves closes one
// connection and every hop sees it at once.
func jobTransport(dialer *net.Dialer) *http1.Transport {
	config := tlsConfig("http/1.1")
	// Events are small and should be sent immediately.
	config.DynamicRecordSizingDisabled = false
	return http1.New(http1.Options{
		TLS: config, Dial: dialer.DialContext, DialTimeout: videorouting.DialTimeout,
		IdleTimeout: 5 * time.Minute, // orchestrators wait 10
		IdlePerHost: 1024, Idle: 4096,
	})
}
