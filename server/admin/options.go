package admin

import (
	"log/slog"
	"net/http"

	"github.com/tuttinode/tutti/core/health"
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

// Options are what the listener is made of. Nil parts are answered with 404, or
// left out of the status.
type Options struct {
	// Listen is the address, host:port; port 0 takes any free one.
	Listen string
	// Orchestrator and Redeemer answer /IsOrchestrator and /IsRedeemer.
	Orchestrator, Redeemer bool
	// Hosts are further names that the Host header may have, without port.
	Hosts []string

	Log        *slog.Logger
	Limiter    SessionLimiter
	Verbosity  Verbosity
	Conditions Conditions
	Status     StatusSource
	// AIPools answers /getAISessionPoolsInfo; nil on nodes that are no gateway.
	AIPools AIPools
	// Metrics serves /metrics; nil without -monitor.
	Metrics http.Handler
}
