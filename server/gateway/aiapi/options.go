package aiapi

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

// Dispatcher finds who answers a job; *broker.Broker is one.
//
// Do returns once an answer has begun, and its errors are faults. ctx governs the
// answer's body too: when it ends, everybody on the way is told. Models is what
// orchestrators offer.
type Dispatcher interface {
	Do(ctx context.Context, job *inference.Job, hint broker.Hint) (*broker.Answer, error)
	Models(ctx context.Context) ([]inference.ModelState, error)
}

// Options make a Front. Only Dispatcher must be set.
type Options struct {
	Dispatcher Dispatcher
	// Machine says why a request is not this machine's own, which counts while there is
	// no key; nil looks at the peer's address alone.
	Machine func(r *http.Request) error
	// Keys judges API keys; nil lets everybody in.
	Keys apikeys.Authorizer
	// Media measures audio; nil refuses requests that are priced by its length.
	Media pipeline.MediaProbe
	// Fetcher gets results; nil is one over HTTPS, as the network has it.
	Fetcher Fetcher
	// Capacity is how many jobs of a model the orchestrators take at once, 0 when
	// that is not known. It is asked for every request. nil knows nothing.
	Capacity func(inference.Model) int
	Limits   Limits
	// PrivateURLs lets requests pass that name addresses of private networks for a
	// model server to fetch from.
	PrivateURLs bool

	Recorder inference.Recorder
	Log      *slog.Logger
	// Now and Rand are the clock of dates and ages, and the source of names that
	// cannot be guessed.
	Now  func() time.Time
	Rand io.Reader
}

// Limits keep a gateway alive. Zero fields get defaults.
type Limits struct {
	// Body is the largest JSON body, Upload the largest one with a file; defaults
	// 10 MiB and 64 MiB. Bytes is what the bodies of all requests in the gateway
	// may hold together; default 512 MiB.
	Body, Upload, Bytes int64
	// PerModel is how many requests of one model are with orchestrators at once
	// where Capacity does not know; default 1024. Queue is how many more may wait,
	// default 64, negative for none, and Wait for how long, default 60 s.
	PerModel, Queue int
	Wait            time.Duration
	// KeepAlive is how often a client that waits for a stream hears a comment;
	// default 15 s.
	KeepAlive time.Duration
	// Stall is how long a client may take nothing of its answer; default 60 s.
	Stall time.Duration
	// Results is what images, videos and sounds may hold until they are fetched,
	// and ResultAge how long they are kept; defaults 256 MiB and 10 minutes. One
	// job may not make more than Results; downloads hold as much besides.
	Results   int64
	ResultAge time.Duration
	// Async is the number of image-to-video jobs whose clients poll; default 64.
	Async int
}

func (l Limits) withDefaults() Limits {
	l.Body = orElse(l.Body, 10<<20)
	l.Upload = orElse(l.Upload, 64<<20)
	l.Bytes = orElse(l.Bytes, 512<<20)
	l.PerModel = orElse(l.PerModel, 1024)
	l.Queue = orElse(l.Queue, 64)
	l.Wait = orElse(l.Wait, time.Minute)
	l.KeepAlive = orElse(l.KeepAlive, 15*time.Second)
	l.Stall = orElse(l.Stall, time.Minute)
	l.Results = orElse(l.Results, 256<<20)
	l.ResultAge = orElse(l.ResultAge, 10*time.Minute)
	l.Async = orElse(l.Async, 64)
	return l
}

func orElse[T int | int64 | time.Duration](v, d T) T {
	if v == 0 {
		return d
	}
	return v
}

// loopbackPeer wants a connection that begins on this machine.
func loopbackPeer(r *http.Request) error {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err == nil && peer.Addr().Unmap().IsLoopback() {
		return nil
	}
	return fault.New(fault.KeysNotConfigured, "take request", "the request comes from another machine")
}

func (o Options) withDefaults() (Options, error) {
	if o.Dispatcher == nil {
		return o, fault.New(fault.MissingOption, "make the gateway's AI interface", "it needs a dispatcher")
	}
	if o.Keys == nil {
		o.Keys = open{}
	}
	if o.Machine == nil {
		o.Machine = loopbackPeer
	}
	if o.Fetcher == nil {
		o.Fetcher = newFetcher()
	}
	if o.Capacity == nil {
		o.Capacity = func(inference.Model) int { return 0 }
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

// open is an Authorizer that lets everybody in.
type open struct{}

// Admit admits.
func (open) Admit(context.Context, string, apikeys.Need) (*apikeys.Grant, error) { return nil, nil }

// Known knows everybody.
func (open) Known(string) error { return nil }

// Proven takes everybody for known.
func (open) Proven(string) bool { return true }

// Required is false.
func (open) Required() bool { return false }
