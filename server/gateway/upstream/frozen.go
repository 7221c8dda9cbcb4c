package upstream

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"time"
)

// ErrFrozen is the cause of a job's context when its caller ends the job because the orchestrator
// stopped answering; see Client.Frozen.
var ErrFrozen = errors.New("the orchestrator does not answer any more")

// errSilent is the cause of a call's context when an answer brought nothing for too long.
var errSilent = errors.New("the orchestrator sends no more of its answer")

// frozen reports whether a job's caller ended it because its orchestrator stopped answering.
func frozen(ctx context.Context) bool {
	return ctx.Err() != nil && errors.Is(context.Cause(ctx), ErrFrozen)
}

// Frozen reports whether an orchestrator does not answer: a new connection gets no handshake in
// time. A refused connection proves nothing, because a stopping node accepts no new ones while it
// finishes its jobs.
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
