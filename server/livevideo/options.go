package livevideo

import (
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/trickle"
)

// Path is where gateways start sessions.
const Path = "/live-video-to-video"

// Options make a Server.
type Options struct {
	// Hub holds the channels. Its owner runs and serves it.
	Hub *trickle.Hub
	// ServiceURI is the orchestrator's public address.
	ServiceURI string
	// RunnerHost is the host, or host and port, by which runners reach the channels; empty is that of
	// ServiceURI.
	RunnerHost string
	// Workers run the models: those of this machine and those of others.
	Workers inference.LongWorkers
	// Payments meter sessions; nil means that they are free.
	Payments Payments
	// Draining reports that the node takes no new sessions; nil never does.
	Draining func() bool

	Now  func() time.Time
	Rand io.Reader
	Log  *slog.Logger
}

// Payments meter sessions.
type Payments interface {
	// Open credits the payment of a session's first request, and refuses one that is not enough. The
	// error is a fault.
	Open(r *http.Request, session string, model inference.Model) (Meter, error)
}

// Meter charges for one session.
type Meter interface {
	// Unpaid is closed when the credit does not last: the session ends then.
	Unpaid() <-chan struct{}
	// Close ends the charging. It is called once, when the session has ended.
	Close()
	// Drop ends a session for which nothing was done: it costs nothing. It stands for Close.
	Drop()
}

// freeMeter charges nothing.
type freeMeter struct{}

func (freeMeter) Unpaid() <-chan struct{} { return nil }
func (freeMeter) Close()                  {}
func (freeMeter) Drop()                   {}
