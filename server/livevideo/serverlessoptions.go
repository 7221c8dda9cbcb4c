package livevideo

import (
	"cmp"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/trickle"
)

// ServerlessPath is where clients start sessions.
const ServerlessPath = "/scope"

// ServerlessOptions make a Serverless.
type ServerlessOptions struct {
	// Hub holds the channels. Its owner runs and serves it.
	Hub *trickle.Hub
	// ServiceURI is the orchestrator's public address: runners are elsewhere and use it too.
	ServiceURI string
	Runner     ServerlessRunner
	// Payments take payment for sessions; nil means that they are free.
	Payments ServerlessPayments
	// Price is what a pixel costs, in whole wei; nil or 0 where the list of runners names no price.
	Price func() int64
	// Draining reports that the node takes no new sessions; nil never does.
	Draining func() bool
	// Reached is called after each attempt to reach the runner, with why it failed. It must not block. May
	// be nil.
	Reached func(err error)
	Times   ServerlessTimes
	// Tick makes a ticker and what stops it; nil is time.NewTicker.
	Tick func(time.Duration) (<-chan time.Time, func())

	Now  func() time.Time
	Rand io.Reader
	Log  *slog.Logger
}

// ServerlessRunner is where the model is served.
type ServerlessRunner struct {
	Model inference.Model
	// URL is the address of its WebSocket.
	URL *url.URL
	// Prefix is what the address must begin with that a client may choose; nil lets it choose none.
	Prefix *url.URL
	// Key is sent to the runner; zero sends none.
	Key core.Secret
	// Capacity is how many sessions it takes at once.
	Capacity int
}

// ServerlessTimes are those of the protocol; a zero field is the network's.
type ServerlessTimes struct {
	// Session is how long a session may take, Grace how long the runner then has to end it.
	Session, Grace time.Duration
	// Start is how long the runner may take until it has started.
	Start time.Duration
	// Ping is how often the runner shows that it is there; the third ping without an answer ends the session.
	Ping time.Duration
}

func (t ServerlessTimes) complete() ServerlessTimes {
	return ServerlessTimes{
		cmp.Or(t.Session, time.Hour), cmp.Or(t.Grace, 5*time.Second), cmp.Or(t.Start, 2*time.Minute),
		cmp.Or(t.Ping, 10*time.Second),
	}
}

func ticker(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTicker(d)
	return t.C, t.Stop
}

// ServerlessPayments take payment for sessions; server/orchestrator implements it.
type ServerlessPayments interface {
	// Asked reports that a request comes without payment; Challenge then answers it with what to pay.
	Asked(r *http.Request) bool
	Challenge(w http.ResponseWriter, r *http.Request, model inference.Model)
	// Open takes the payment that came with a request, and charges from then on. The session has the id of
	// the payment's challenge, or else fresh. The error is a fault.
	Open(r *http.Request, fresh string, model inference.Model) (session string, m Meter, err error)
}
