package byoc

import (
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/server/trickle"
)

// Options make a Server.
type Options struct {
	// Rules take payment for work.
	Rules *orchestrate.Orchestrator
	// Hub holds the channels of streams. Its owner runs and serves it.
	Hub *trickle.Hub
	// ServiceURI is the orchestrator's public address, RunnerHost the host, or host and port, by which capabilities
	// reach the channels; empty is that of ServiceURI.
	ServiceURI, RunnerHost string
	// Authorized reports whether a secret lets capabilities register.
	Authorized func(secret string) bool
	// Rate converts prices to wei, and is false while it knows no rate; nil where work is free.
	Rate func(core.UnitPrice) (*big.Rat, bool)
	// Lost is called when a capability is removed because its server does not serve, and with nil when it
	// registers again or is unregistered. It must not block. May be nil.
	Lost func(capability string, err error)

	Now  func() time.Time
	Rand io.Reader
	Log  *slog.Logger
}

// Bodies receive requests and answers within the memory of the listener.
type Bodies interface {
	// Request reads the body of a request, large or small, for a party at a network address. The error is a
	// fault.
	Request(w http.ResponseWriter, r *http.Request, large bool, party, source string) (Body, error)
	// Answer reads the answer to a request whose body it is. length is the announced one, negative if unknown.
	Answer(answer io.Reader, length int64, request Body) (Body, error)
}

// Body is one that was received. Release must be called.
type Body interface {
	Bytes() []byte
	// Paid records that the request is paid for.
	Paid()
	Release()
}
