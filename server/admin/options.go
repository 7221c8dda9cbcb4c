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

// Conditions are the node's lasting troubles.
type Conditions interface {
	Snapshot() []health.Condition
}

// StatusSource tells the state of the moment.
type StatusSource interface {
	Status() Status
}

// NodeSource tells what kind of node this is. ChainID, account and orchestrator
// are filled in from the chain.
type NodeSource interface {
	Node() adminapi.Node
}

// RewardSource is the machine that calls reward.
type RewardSource interface {
	Status() reward.Status
}

// ServiceAddressSource tells what the node knows of its public address.
type ServiceAddressSource interface {
	ServiceAddress() adminapi.ServiceAddress
}

// Access says who may do what.
type Access struct {
	// DataDir holds the token and the log of changes. Without one there is neither,
	// and nothing that needs the token can be done.
	DataDir string
	// Token is what changes need; empty for the data directory's own.
	Token core.Secret
	// AllowRemote lets the listener leave loopback although no token existed before
	// this start; the one that is made then protects every request.
	AllowRemote bool
	// CompatTransactions lets changes in as the existing node does: by any method
	// and without token, on loopback only.
	CompatTransactions bool
	// Profiling serves /debug/pprof.
	Profiling bool
}

// Options are what the listener is made of. Nil parts are answered with a fault
// that says so, or left out of the status.
type Options struct {
	Access

	// Listen is the address: host:port, where port 0 takes any free one, or
	// unix:/path for a socket that only the node's user opens.
	Listen string
	// Listener is used instead of Listen when it is given, as by a service manager that
	// opened the port. Listen still says who can reach it.
	Listener net.Listener
	// Orchestrator and Redeemer answer /IsOrchestrator and /IsRedeemer.
	Orchestrator, Redeemer bool
	// Hosts are further names that the Host header may have, without port.
	Hosts []string
	// MaxSessions is the limit at start: 0 for auto.
	MaxSessions int
	// Wait is how long a request for a transaction is held; 0 for DefaultWait.
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
	// Workers are the node's devices and remote workers; nil where nobody works.
	Workers Workers
	// Models are the AI models; nil on a node without AI.
	Models Models
	// Reloader, Drains and Upgrader change the process itself; nil where it cannot.
	Reloader Reloader
	Drains   Drains
	Upgrader Upgrader
	// Metrics serves /metrics; nil without -monitor.
	Metrics http.Handler
	// Pages are further handlers by their pattern, for pages that only read.
	Pages map[string]http.Handler

	// Chain is nil on a node that runs off-chain.
	Chain          *Chain
	Market         Market
	Books          Books
	Reward         RewardSource
	ServiceAddress ServiceAddressSource
	// Explainer says why no jobs come; nil on a node that nobody asks for any.
	Explainer Explainer
	// Ready says what keeps the node from taking work, nothing when it can; nil is always
	// ready. It answers at once.
	Ready     func() []string
	Dashboard Dashboard
}

// DefaultWait covers a transaction that is sent again once after five minutes.
const DefaultWait = 12 * time.Minute
