package router

import (
	"cmp"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"time"

	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/server/tlscert"
)

const (
	// DefaultTimeout bounds an answer: gateways wait about as long.
	DefaultTimeout = 2 * time.Second
	// DefaultConnections bounds the connections that are open.
	DefaultConnections = 16384
	// extraWait is how long the router waits for other answers after the first.
	extraWait = 150 * time.Millisecond
	// pollEvery is how often the orchestrators' public status is read.
	pollInterval = 2 * time.Second
	// offerTime is how long a returned offer counts as load: later its session shows in the
	// status, or does not exist.
	offerTime = 10 * time.Second
)

// Options are what a Router is built from.
type Options struct {
	// Addr is where to listen, ":8935"; Listener is used instead when it is given.
	Addr     string
	Listener net.Listener
	// Backends are the orchestrators, host:port, at least one.
	Backends []string
	// Connections bounds those that are open, DefaultConnections when 0. PerAddress is how
	// many of one address are served at once (admission.Options), 0 for no bound.
	Connections, PerAddress int
	// Known are networks whose addresses count as known: the operator's own gateways.
	Known []netip.Prefix
	// Scarce is called when the system has no descriptor for a connection; may be nil.
	Scarce func(error)
	// Cert is nil for plaintext.
	Cert *tlscert.Source
	// Timeout is DefaultTimeout when 0.
	Timeout time.Duration
	Version string
	Board   *health.Board
	Now     func() time.Time
	Log     *slog.Logger
}

func (opt *Options) complete() error {
	switch {
	case len(opt.Backends) == 0:
		return errors.New("no orchestrators to answer for")
	case opt.Board == nil || opt.Now == nil || opt.Log == nil:
		return errors.New("board, clock and log must be given")
	}
	opt.Connections = cmp.Or(opt.Connections, DefaultConnections)
	opt.Timeout = cmp.Or(opt.Timeout, DefaultTimeout)
	return nil
}
