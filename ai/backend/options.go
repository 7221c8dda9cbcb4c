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
	// URL is its base address; a trailing "/v1" is not minded.
	URL string
	// Token is sent as bearer token with every request, "" for none.
	Token core.Secret
	// Model is the model's name in the network.
	Model string
	// Served is the name that the runner has for it, where the two differ. Without
	// it the runner's list tells, as far as it can.
	Served string
	// Pipeline is what the model is for.
	Pipeline capability.ID
	// Container says that the runner is a container of this node's; errors name it so.
	Container bool
	// Transport carries the requests; nil makes one of its own, which tries a
	// request again when a connection that was used before ends without a byte.
	Transport http.RoundTripper
	// Log takes what was found out; nil is silent.
	Log *slog.Logger

	// ProbeTimeout bounds each question of a probe; 3 s when 0.
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
