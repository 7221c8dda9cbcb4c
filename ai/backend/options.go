package backend

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
)

// Options describe one runner.
type Options struct {
	// URL is its base address; a trailing "/v1" is ignored.
	URL string
	// Token is sent as bearer token with every request, "" for none.
	Token core.Secret
	// Model is the model's name in the network.
	Model string
	// Served is the runner's name for it, if it differs. "" takes it from the runner's list.
	Served string
	// Shared means that other models are at the same server, so that without Served its only
	// model is not taken for this one.
	Shared bool
	// Pipeline is the model's pipeline.
	Pipeline capability.ID
	// Container means that the runner is a container of this node; errors name it so.
	Container bool
	// Transport sends the requests; nil makes one that retries a request when a reused
	// connection ends without a byte.
	Transport http.RoundTripper
	// CloseTransport closes the idle connections of Transport, if it is this runner's alone; nil if it
	// is shared.
	CloseTransport func()
	// Log receives detected runners; nil drops them.
	Log *slog.Logger

	// ProbeTimeout bounds each request of a probe; 3 s when 0.
	ProbeTimeout time.Duration
	// Limits bound the wait for answers.
	Limits inference.Limits
	// MaxAnswer bounds an answer in bytes; 1 GiB when 0.
	MaxAnswer int64
}

func (o Options) withDefaults() Options {
	setDefault(&o.ProbeTimeout, 3*time.Second)
	o.Limits = o.Limits.OrDefault()
	setDefault(&o.MaxAnswer, 1<<30)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

func setDefault[T time.Duration | int64](v *T, to T) {
	if *v <= 0 {
		*v = to
	}
}
