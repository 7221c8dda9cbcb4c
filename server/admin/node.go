package admin

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/health"
)

// Node is the view of the process: what it is, how it fares, and what can be changed about it.
// The dashboard asks for the description, the conditions, the settings and the log each second:
// they must return at once from memory.
type Node struct {
	// Describe returns the node's kind. ChainID, account and orchestrator are filled in from
	// the chain.
	Describe func() adminapi.Node
	Status   func() Status
	// Conditions are the node's lasting problems.
	Conditions func() []health.Condition
	// Ready returns the reasons why the node takes no work, none when it does; nil is always
	// ready. It must return at once.
	Ready func() []string
	// ServiceAddress returns what is known of the node's public address.
	ServiceAddress func() adminapi.ServiceAddress
	// Settings are the options in effect.
	Settings func() []adminapi.Option
	// LogTail returns the last n lines of the log.
	LogTail func(n int) []adminapi.LogEntry

	// SetMaxSessions changes how many sessions run at once; 0 leaves the number to the node.
	SetMaxSessions func(n int)
	Verbosity      Verbosity
	// Reload reads the node's configuration again. It applies every setting that may change
	// while the node runs, or none; the error is ReloadFailed and says why. With dry nothing
	// is changed.
	Reload func(ctx context.Context, dry bool) (adminapi.Reloaded, error)
	Drains Drains
	// Upgrade starts the program on disk in this one's place. It returns when the new process
	// has begun and its configuration is good; the error is UpgradeFailed or UpgradeRefused.
	Upgrade func(ctx context.Context) (adminapi.Upgrade, error)
}

// Verbosity changes how much is logged. The error says that n is out of range.
type Verbosity interface {
	Verbosity() int
	SetVerbosity(n int) error
}

// Drains lets the node take nothing new, and undoes that while the node is not stopping: the
// error is DrainNotUndone then. A deadline of 0 is none.
type Drains interface {
	Drain() adminapi.Drain
	Begin(deadline time.Duration, stop bool) error
	Cancel() error
}
