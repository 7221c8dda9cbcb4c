package redeemer

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/tlscert"
)

// Redeemer redeems the tickets; pm/redeemer implements it.
type Redeemer interface {
	// Queue returns when the ticket is on disk. A known one is accepted again.
	Queue(ctx context.Context, w pm.Winner) error
	MaxFloat(ctx context.Context, sender core.Address) (core.Wei, error)
	// WatchMaxFloat gives f the max float now and after each change, until ctx ends or
	// f fails.
	WatchMaxFloat(ctx context.Context, sender core.Address, f func(core.Wei) error) error
	// Pending are the face values of a sender's tickets that are not paid.
	Pending(sender core.Address) core.Wei
}

// DefaultConnections bounds the open connections.
const DefaultConnections = 1024

// Options configure a Server. Zero limits get the defaults that are named.
type Options struct {
	// Addr is where to listen, "127.0.0.1:8935". Listener is used instead when it is
	// given; the server closes it.
	Addr     string
	Listener net.Listener
	// Cert is nil for plaintext, for a proxy that adds TLS.
	Cert     *tlscert.Source
	Redeemer Redeemer
	// Recipient owns the tickets.
	Recipient core.Address
	// Funds reads a gateway's funds; a ticket of one without funds is not stored.
	Funds func(ctx context.Context, sender core.Address) (protocol.SenderFunds, error)
	// View returns the round, for the answer about an expired ticket; nil leaves it to the
	// Redeemer, and no ticket makes a host known.
	View func() protocol.View
	// Taken reports whether the ledger has a ticket.
	Taken func(ctx context.Context, ticket protocol.Hash) (bool, error)
	// RedeemGas is what redeeming a ticket takes, 350 000.
	RedeemGas protocol.Gas
	Log       *slog.Logger
	// Now is the clock; nil is the system's.
	Now func() time.Time

	// Connections bounds open connections, 1024; ConnectionsEach those of one host, 128.
	Connections, ConnectionsEach int
	// Calls bounds the calls of unknown hosts in progress, streams included, 16384 plus a
	// few for each host; CallsEach those of one host, 2560.
	Calls, CallsEach int
	// Queueing bounds the tickets that are accepted at once, 128; Asking the max floats that
	// are being read, 64. Others wait; see slots.
	Queueing, Asking int
	// Watchers bounds the senders that unknown hosts watch, 4096 plus a few for each host;
	// WatchersEach those of one host, 2048.
	Watchers, WatchersEach int
	// Unverified bounds the tickets that are accepted while gateways' funds cannot be read, until
	// they can be read again, and those of a round that this node has not seen begin; 1000.
	Unverified int
	// Answer bounds the time of a call, 30 s.
	Answer time.Duration
	// Refresh is how often a watched sender is read even without events, 1 min.
	Refresh time.Duration
}

var errOptions = errors.New("build redeemer listener: an option is missing")

func (o *Options) complete() error {
	if o.Redeemer == nil || o.Recipient.IsZero() || o.Funds == nil || o.Taken == nil || o.Log == nil {
		return errOptions
	}
	o.RedeemGas = cmp.Or(o.RedeemGas, 350_000)
	o.Connections = cmp.Or(o.Connections, DefaultConnections)
	o.ConnectionsEach = cmp.Or(o.ConnectionsEach, 128)
	o.Calls = cmp.Or(o.Calls, 16384)
	o.CallsEach = cmp.Or(o.CallsEach, 2560)
	o.Queueing = cmp.Or(o.Queueing, 128)
	o.Asking = cmp.Or(o.Asking, 64)
	o.Watchers = cmp.Or(o.Watchers, 4096)
	o.WatchersEach = cmp.Or(o.WatchersEach, 2048)
	o.Unverified = cmp.Or(o.Unverified, 1000)
	o.Answer = cmp.Or(o.Answer, 30*time.Second)
	o.Refresh = cmp.Or(o.Refresh, time.Minute)
	if o.Now == nil {
		o.Now = time.Now
	}
	return nil
}
