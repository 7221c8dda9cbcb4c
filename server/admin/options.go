package admin

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/reward"
)

// SessionLimiter changes how many sessions run at once; 0 leaves the number to
// the node.
type SessionLimiter interface {
	SetMaxSessions(n int)
}

// Verbosity changes how much is logged. The error says that n is out of range.
type Verbosity interface {
	Verbosity() int
	SetVerbosity(n int) error
}

// Conditions are the node's lasting problems.
type Conditions interface {
	Snapshot() []health.Condition
}

// StatusSource returns the current status.
type StatusSource interface {
	Status() Status
}

// NodeSource describes the node. ChainID, account and orchestrator are filled in from the
// chain.
type NodeSource interface {
	Node() adminapi.Node
}

// RewardSource is the state of the reward caller.
type RewardSource interface {
	Status() reward.Status
}

// ServiceAddressSource returns what is known of the node's public address.
type ServiceAddressSource interface {
	ServiceAddress() adminapi.ServiceAddress
}

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

// Options are the listener's settings and sources. Requests for nil parts get a fault; they are
// left out of the status.
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

	Limiter    SessionLimiter
	Verbosity  Verbosity
	Conditions Conditions
	Status     StatusSource
	Node       NodeSource
	// AIPools answers /getAISessionPoolsInfo; nil on nodes that are no gateway.
	AIPools AIPools
	// NetworkCapabilities answers /getNetworkCapabilities; nil on nodes that are no gateway.
	NetworkCapabilities func(ctx context.Context) any
	// Workers are the node's devices and remote workers; nil without any.
	Workers Workers
	// Models are the AI models; nil on a node without AI.
	Models Models
	// Reloader, Drains and Upgrader change the process itself; nil if not supported.
	Reloader Reloader
	Drains   Drains
	Upgrader Upgrader
	// Metrics serves /metrics; nil without -monitor.
	Metrics http.Handler
	// Pages are further read-only handlers by their pattern.
	Pages map[string]http.Handler

	// Chain is nil on a node that runs off-chain.
	Chain          *Chain
	Market         Market
	Books          Books
	Reward         RewardSource
	ServiceAddress ServiceAddressSource
	// Explainer diagnoses why no jobs arrive; nil on a node that takes none.
	Explainer Explainer
	// Ready returns the reasons why the node takes no work, none when it does; nil is always
	// ready. It must return at once.
	Ready     func() []string
	Dashboard Dashboard
}

// DefaultWait covers a transaction that is replaced once after five minutes.
const DefaultWait = 12 * time.Minute
