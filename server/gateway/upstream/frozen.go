package upstream

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"time"
)

// ErrFrozen is the cause of a job's context where its caller ends the job because the
// orchestrator does not answer any more: see Client.Frozen.
var ErrFrozen = errors.New("the orchestrator does not answer any more")

// errSilent is the cause of an exchange's context where an answer brought nothing for too long.
var errSilent = errors.New("the orchestrator sends no more of its answer")

// frozen reports whether a job's caller ended it for its orchestrator's silence.
func frozen(ctx context.Context) bool {
	return ctx.Err() != nil && errors.Is(context.Cause(ctx), ErrFrozen)
}

// Frozen reports whether an orchestrator does not answer: a new connection to it gets no
// handshake in time. A connection that is refused says nothing, as a node that stops takes no
// new ones while it finishes its jobs.
func (c *Client) Frozen(ctx context.Context, t *Terms, within time.Duration) bool {
	address := t.url.Host
	if t.url.Port() == "" {
		address = net.JoinHostPort(t.url.Hostname(), "443")
	}
	if t.url.Scheme != "https" {
		return false
	}
	checking, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	dialer := tls.Dialer{NetDialer: &net.Dialer{}, Config: tlsConfig("http/1.1")}
	conn, err := dialer.DialContext(checking, "tcp", address)
	if err == nil {
		_ = conn.Close()
		return false
	}
	return ctx.Err() == nil && checking.Err() != nil
}
