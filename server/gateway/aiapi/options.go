package aiapi

import (
	"cmp"
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/core/privatefile"
	"github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/server/access"
	"github.com/tuttinode/tutti/server/gateway/answercache"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/gateway/guards"
)

// Dispatcher sends a job to an orchestrator; *broker.Broker is one.
//
// Do returns once an answer has begun, and its errors are faults. ctx also governs the answer's
// body: when it ends, every hop is canceled. Models is what orchestrators offer.
type Dispatcher interface {
	Do(ctx context.Context, job *inference.Job, hint broker.Hint) (*broker.Answer, error)
	Models(ctx context.Context) ([]inference.ModelState, error)
}

// Options make a Server. Only Dispatcher must be set.
type Options struct {
	Dispatcher Dispatcher
	// CheckLocal returns why a request does not come from this machine. It is used while there is
	// no key; nil checks only the client's address.
	CheckLocal func(r *http.Request) error
	// Keys checks API keys; nil admits every request.
	Keys apikeys.Authorizer
	// Spending records what requests cost; nil records nothing.
	Spending Spending
	// Media measures audio, converts it, and decodes images; nil refuses requests that are priced by duration,
	// formats that models do not make, and images that are changed here.
	Media pipeline.MediaTools
	// Fetcher downloads results; nil uses HTTPS, as the network does.
	Fetcher Fetcher
	// Capacity is how many jobs of a model the orchestrators take at once, 0 when unknown. It is
	// called for every request. nil is always unknown.
	Capacity func(inference.Model) int
	// Routes are the operator's names of models; nil, and a nil table, have none. It is called for
	// every request.
	Routes func() *airouting.ModelRoutes
	// WeiPerUSD is the present rate of the dollar, false while it is not known; nil knows none. It must not
	// wait. needed says that a request asks for it; without that, a rate that is known anyway will do.
	WeiPerUSD func(needed bool) (*big.Rat, bool)
	Limits    Limits
	// Spools are files for the long values of large requests; nil keeps them in memory.
	Spools *privatefile.Spools
	// Guards check requests and answers; nil checks none. A request keeps those with which it began.
	Guards *guards.Set
	// Cache keeps answers; nil keeps none.
	Cache *answercache.Cache
	// PrivateURLs permits requests that name addresses of private networks for a model server to
	// fetch.
	PrivateURLs bool

	Recorder inference.Recorder
	// Tracer makes the requests' spans; nil makes none.
	Tracer *telemetry.Tracer
	Log    *slog.Logger
	// Now is the clock, Rand the source of unguessable IDs.
	Now  func() time.Time
	Rand io.Reader
}

// Limits protect the gateway's resources. Zero fields get defaults.
type Limits struct {
	// Body bounds a JSON body, Upload a body with a file; defaults 10 MiB and 64 MiB. Bytes bounds
	// all bodies in the gateway together; default 512 MiB.
	Body, Upload, Bytes int64
	// PerModel is how many requests of one model are at orchestrators at once where Capacity is
	// unknown; default 1024. Queue is how many more may wait, default 64, negative for none, and
	// Wait for how long, default 60 s.
	PerModel, Queue int
	Wait            time.Duration
	// KeepAlive is the interval of comments to a client that waits for a stream; default 15 s.
	KeepAlive time.Duration
	// Stall is how long a client may read nothing of its answer; default 60 s.
	Stall time.Duration
	// Results bounds the memory of images, videos and sounds that wait for download, and ResultAge
	// their age; defaults 256 MiB and 10 minutes. One job may not make more than Results; downloads
	// in progress may hold as much again.
	Results   int64
	ResultAge time.Duration
	// Async is the number of image-to-video jobs whose clients poll; default 64.
	Async int
}

// The default memory limits of bodies and of results.
const (
	DefaultBytes   = 512 << 20
	DefaultResults = 256 << 20
)

func (l Limits) withDefaults() Limits {
	l.Body = cmp.Or(l.Body, 10<<20)
	l.Upload = max(cmp.Or(l.Upload, 64<<20), l.Body)
	l.Bytes = cmp.Or(l.Bytes, DefaultBytes)
	l.PerModel = cmp.Or(l.PerModel, 1024)
	l.Queue = cmp.Or(l.Queue, 64)
	l.Wait = cmp.Or(l.Wait, time.Minute)
	l.KeepAlive = cmp.Or(l.KeepAlive, 15*time.Second)
	l.Stall = cmp.Or(l.Stall, time.Minute)
	l.Results = cmp.Or(l.Results, DefaultResults)
	l.ResultAge = cmp.Or(l.ResultAge, 10*time.Minute)
	l.Async = cmp.Or(l.Async, 64)
	return l
}

// loopbackPeer accepts only connections from this machine.
func loopbackPeer(r *http.Request) error {
	if _, own := access.Client(r); own {
		return nil
	}
	return fault.New(fault.KeysNotConfigured, "take request", "the request comes from another machine")
}

func (o Options) withDefaults() (Options, error) {
	if o.Dispatcher == nil {
		return o, fault.New(fault.MissingOption, "make the gateway's AI interface", "it needs a dispatcher")
	}
	if o.Keys == nil {
		o.Keys = openAccess{}
	}
	if o.CheckLocal == nil {
		o.CheckLocal = loopbackPeer
	}
	if o.Fetcher == nil {
		o.Fetcher = newFetcher()
	}
	if o.Capacity == nil {
		o.Capacity = func(inference.Model) int { return 0 }
	}
	if o.Routes == nil {
		o.Routes = func() *airouting.ModelRoutes { return nil }
	}
	if o.Recorder == nil {
		o.Recorder = inference.NopRecorder{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	o.Limits = o.Limits.withDefaults()
	return o, nil
}

// openAccess is an Authorizer that admits every request.
type openAccess struct{}

// Admit admits the request without limits.
func (openAccess) Admit(context.Context, string, apikeys.Need) (*apikeys.Grant, error) {
	return nil, nil
}

// Permits permits every model.
func (openAccess) Permits(context.Context, string, apikeys.Need) error { return nil }

// Known accepts every token.
func (openAccess) Known(string) error { return nil }

// Verified treats every token as checked.
func (openAccess) Verified(string) bool { return true }

// Required is false.
func (openAccess) Required() bool { return false }
