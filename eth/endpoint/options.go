package endpoint

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/health"
)

// Endpoint is one JSON-RPC address: http, https, ws or wss.
type Endpoint struct {
	URL core.Secret
	// Name is the display name; empty for scheme, host and port of the URL.
	Name string
}

// Options are what a Pool needs. Zero values mean the defaults.
type Options struct {
	// Endpoints in the operator's order, which decides between equals.
	Endpoints []Endpoint
	// ChainID is the expected chain; 0 takes the first endpoint's answer.
	ChainID uint64
	Now     func() time.Time
	// Random returns numbers in [0, 1) for jitter; nil means no jitter.
	Random func() float64
	Log    *slog.Logger
	// Board may be nil.
	Board *health.Board
	// PollInterval is the interval between requests for each endpoint's head: 5 s.
	PollInterval time.Duration
	// CallTimeout bounds one request to one endpoint: 10 s.
	CallTimeout time.Duration
	// StaleAfter is how long a head may stay the same before it is a condition: 2 min.
	StaleAfter time.Duration
	// LogRange is how many blocks the first log request of an endpoint spans: 1000.
	LogRange uint64
	// HTTPClient is for http and https; nil for a client of the pool's own.
	HTTPClient *http.Client
	// Dial opens the connections of websockets and of the pool's own HTTP client.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = func() float64 { return 0.5 }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Dial == nil {
		o.Dial = (&net.Dialer{Timeout: 10 * time.Second}).DialContext
	}
	o.PollInterval = positive(o.PollInterval, 5*time.Second)
	o.CallTimeout = positive(o.CallTimeout, 10*time.Second)
	o.StaleAfter = positive(o.StaleAfter, 2*time.Minute)
	o.LogRange = positive(o.LogRange, 1000)
	return o
}

func positive[T time.Duration | uint64](value, otherwise T) T {
	if value <= 0 {
		return otherwise
	}
	return value
}
