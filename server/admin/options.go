package admin

import (
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core"
)

// Access are the settings of access control.
type Access struct {
	// DataDir holds the token and the audit log. Without it there is neither, and requests that
	// need the token fail.
	DataDir string
	// Token is required for changes; empty for that of the data directory.
	Token core.Secret
	// AllowRemote permits a listener outside loopback although no token existed before this
	// start; the token that is created then protects every request.
	AllowRemote bool
	// CompatTransactions accepts changes as the existing node does: with any method and without
	// token, on loopback only.
	CompatTransactions bool
	// Profiling serves /debug/pprof.
	Profiling bool
}

// Options are the listener's settings and the five views of the node that it serves: Node, Work,
// Chain, Market and Books. Requests for a nil part of a view get a fault; it is left out of the
// status.
type Options struct {
	Access

	// Listen is the address: host:port, where port 0 takes any free one, or
	// unix:/path for a socket that only the node's user can open.
	Listen string
	// Listener is used instead of Listen when it is given, as by a service manager that
	// opened the port. Listen still decides whether the listener counts as remote.
	Listener net.Listener
	// Orchestrator and Redeemer answer /IsOrchestrator and /IsRedeemer.
	Orchestrator, Redeemer bool
	// Hosts are further names that the Host header may have, without port.
	Hosts []string
	// MaxSessions is the limit at start: 0 for auto.
	MaxSessions int
	// Wait is how long a request waits for its transaction; 0 for DefaultWait.
	Wait time.Duration

	Log *slog.Logger
	// Now is the clock; nil for the system's.
	Now func() time.Time

	// Metrics serves /metrics; nil without -monitor.
	Metrics http.Handler
	// Pages are further read-only handlers by their pattern.
	Pages map[string]http.Handler

	Node Node
	Work Work
	// Chain is nil on a node that runs off-chain.
	Chain  *Chain
	Market Market
	Books  Books
}

// DefaultWait covers a transaction that is replaced once after five minutes.
const DefaultWait = 12 * time.Minute
