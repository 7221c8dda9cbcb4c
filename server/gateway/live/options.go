package live

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fetchurl"
	"github.com/tuttinode/tutti/core/telemetry"
)

// Orchestrator is one that offers the pipeline of a stream.
type Orchestrator interface {
	// URI is its service address, Account its address on the chain.
	URI() string
	Account() string
	// Price is what a pixel, or a second of a planned stream, costs, in wei; nil is free.
	Price() *big.Rat
	// Start sends the request that begins a client's stream, and returns the answer's body, and what pays for
	// the stream: nil where it is free. An error that is a *RefusedError is the orchestrator's answer.
	Start(ctx context.Context, client string, request []byte) (answer []byte, paid Paid, err error)
}

// Paid pays for a stream at one orchestrator.
type Paid interface {
	// Run pays on until ctx ends. manifest is the orchestrator's name for the stream. An error ends the
	// stream there.
	Run(ctx context.Context, manifest string) error
	// End ends the payment after Run, or without it; blame says that the orchestrator ended the stream.
	End(blame bool)
}

// Network finds orchestrators.
type Network interface {
	// Find lists those that offer a model of live video-to-video now, the best first.
	Find(ctx context.Context, model string) ([]Orchestrator, error)
}

// Access decides about requests; access.Policy implements it.
type Access interface {
	Push(r *http.Request) (key string, err error)
	Play(r *http.Request, id core.ManifestID, now time.Time) (query string, err error)
	Streams(r *http.Request) (keyed bool, err error)
	Owner(r *http.Request) (machine bool, err error)
	// Client identifies the client of a request that one of the above admitted: by its API key, "" for none, and as
	// this machine.
	Client(r *http.Request) (key string, machine bool)
	// Recheck returns what checks the key of a request again that Client has one of.
	Recheck(r *http.Request) apikeys.Check
	// Playing returns what checks again what Play admitted a request by; nil if it needed nothing.
	Playing(r *http.Request, id core.ManifestID, now func() time.Time) apikeys.Check
	// Unchecked reports whether a client with this key was admitted because all are.
	Unchecked(key string) bool
}

// Options make a Server. Network, Channels, Puller, Log, Now and Rand must be set.
type Options struct {
	// Conn is the UDP socket of WHIP and WHEP, which are not served if it is nil. NATIP is the address that peers
	// are given for it, "" for its own.
	Conn  net.PacketConn
	NATIP string
	// Network finds orchestrators, Channels sends the requests to their channels (see trickle.NewHTTPClient).
	Network  Network
	Channels *http.Client
	// Access decides about requests; nil permits all.
	Access Access
	// PlaybackURL is what WHEP addresses begin with, "" for that of the request.
	PlaybackURL string
	// AllowCORS lets pages of all sites use WHIP and WHEP.
	AllowCORS bool
	Limits    Limits
	// Webhook decides about streams; nil leaves that to Access. Host is the gateway's name in what it gets, "" for
	// the one that the publisher called.
	Webhook *Webhook
	Host    string
	// Puller reads the streams of media servers, which are on the internet, in MediaNetworks, or the callers.
	// MediaServerPassword is the one of their API.
	Puller              Puller
	MediaNetworks       fetchurl.Networks
	MediaServerPassword string
	Save                Save
	// Recorder counts what streams do; nil ignores it.
	Recorder Recorder
	// Events gets what happens to streams; nil sends nothing.
	Events telemetry.EventSink
	// Restream sends results to RTMP servers; nil sends none.
	Restream Restream

	Log  *slog.Logger
	Now  func() time.Time
	Rand io.Reader
}

// Save has copies of the First segments of each stream kept in Dir; its zero value keeps none.
type Save struct {
	Dir   string
	First int
}

// Limits bound streams. A zero field is its default.
type Limits struct {
	// Streams at once, and Viewers of one; below 0 any number of viewers.
	Streams, Viewers int
	// MinSegment is the shortest segment.
	MinSegment time.Duration
	// Gather is how long a publisher's tracks are waited for.
	Gather time.Duration
	// Try is how long an orchestrator is looked for.
	Try time.Duration
	// OutputSilence and EventSilence are how long an orchestrator may send no output and no event.
	OutputSilence, EventSilence time.Duration
	// InputSilence is how long a publisher may send no picture.
	InputSilence time.Duration
	// Keep is how often the control channel is written to at least.
	Keep time.Duration
	// Remember is how long the status of a stream is there after its end.
	Remember time.Duration
	// PullAgain is how long after its end a media server's stream is read again.
	PullAgain time.Duration
	// OutputAgain is how long after its end an RTMP output begins again.
	OutputAgain time.Duration
	// Watch is how often the limits of time are looked at.
	Watch time.Duration
	// Measure is how often the quality of publishers' connections is reported.
	Measure time.Duration
	// KeyCheck is how often the keys of publishers and viewers are checked again.
	KeyCheck time.Duration
}

func (l Limits) complete() Limits {
	l.Streams = cmp.Or(l.Streams, 100)
	l.Viewers = cmp.Or(l.Viewers, 5)
	l.MinSegment = cmp.Or(l.MinSegment, time.Second)
	l.Gather = cmp.Or(l.Gather, 5*time.Second)
	l.Try = cmp.Or(l.Try, 2*time.Second)
	l.OutputSilence = cmp.Or(l.OutputSilence, 30*time.Second)
	l.EventSilence = cmp.Or(l.EventSilence, 30*time.Second)
	l.InputSilence = cmp.Or(l.InputSilence, 30*time.Second)
	l.Keep = cmp.Or(l.Keep, 10*time.Second)
	l.Remember = cmp.Or(l.Remember, time.Minute)
	l.PullAgain = cmp.Or(l.PullAgain, 5*time.Second)
	l.OutputAgain = cmp.Or(l.OutputAgain, again)
	l.Watch = cmp.Or(l.Watch, time.Second)
	l.Measure = cmp.Or(l.Measure, measureEvery)
	l.KeyCheck = cmp.Or(l.KeyCheck, apikeys.CheckInterval)
	return l
}

// RefusedError is an orchestrator's refusal of a stream.
type RefusedError struct {
	Status int
	Text   string
}

// Error is the orchestrator's text.
func (e *RefusedError) Error() string { return "the orchestrator refused the stream: " + e.Text }
