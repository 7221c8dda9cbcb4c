package worker

import (
	"context"
	"log/slog"
	"time"

	"google.golang.org/grpc"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fetchurl"
	"github.com/tuttinode/tutti/core/health"
)

// Options are a Loop's settings. Orchestrators, Secret, Node, Instance, Rand and
// Credential are needed.
type Options struct {
	// Orchestrators are host:port, each with a registration of its own.
	Orchestrators []string
	Secret        core.Secret
	TLS           TLS
	// Node is this worker's release for tutti orchestrators, "tutti/1.2.3".
	Node string
	// Worker is the name that its operator gave it; "" for none.
	Worker string
	// Instance is random, one per process: a further registration with it replaces the
	// previous one.
	Instance string
	// Kind is the worker's kind, "transcoder", for conditions of a process with several
	// kinds; "" for none.
	Kind string
	// Credential is the marker of results in Authorization, "Livepeer-Transcoder-1.0".
	Credential string
	// RegisterLog is the log line of a registration, "Registering transcoder to".
	RegisterLog string
	// MaxTasks bounds one orchestrator's concurrent tasks; at the bound no further
	// notification is read. 0 is 256.
	MaxTasks int
	// ResultsIdle is how long the connection for results stays open without work; 0 is two
	// minutes.
	ResultsIdle time.Duration
	// MaxMessage bounds a notification, in bytes; 0 is 4 MiB.
	MaxMessage int
	// Stores are private networks from which inputs are fetched, at any orchestrator's word; see
	// Origin.
	Stores fetchurl.Networks
	Log    *slog.Logger
	// Board gets the conditions of unreachable orchestrators; nil drops them.
	Board *health.Board
	Now   func() time.Time
	// Rand returns numbers from 0 to 1, for backoff; it must be safe for concurrent use.
	Rand func() float64
}

// Registration is the common part of every registration request.
type Registration struct {
	// Secret is in plain text, as it is sent.
	Secret                 string
	Node, Worker, Instance string
	// Draining: the worker finishes its tasks and accepts no new ones.
	Draining bool
}

// Work is a kind of worker; N is its notification, rpc.NotifySegment or rpc.NotifyAIJob.
type Work[N any] interface {
	// Offer is what a registration would offer now, in any comparable form, without values
	// that change all the time. When it changes, the loop registers again; while it is nil
	// there is nothing to offer, and the worker does not register.
	Offer() []byte
	// Register opens the stream of a registration on a connection.
	Register(ctx context.Context, conn grpc.ClientConnInterface, r Registration) (grpc.ServerStreamingClient[N], error)
	// Notify handles a notification, which it may keep. The calls of one orchestrator come
	// one after another, so long work goes to from.Start.
	Notify(from *Link, notify *N)
}

// UrgencyChecker is a Work that tells urgent changes of its offer from those that can wait
// for an idle moment: most orchestrators of the network lose the worker's sessions when a
// new offer is announced. Without it all changes are urgent.
type UrgencyChecker interface {
	Urgent(confirmed, now []byte) bool
}

// EmptyOfferChecker is a Work whose offers may be empty for orchestrators of the network.
// After an empty offer there are no sessions to lose, and the next is announced at once.
type EmptyOfferChecker interface {
	Empty(confirmed []byte) bool
}

// Forgetter is a Work that keeps state for an orchestrator from one task to the next.
// Forget drops it after the running tasks, when the orchestrator has dropped its own.
type Forgetter interface {
	Forget(of *Link)
}

func (o Options) withDefaults() Options {
	if o.MaxTasks == 0 {
		o.MaxTasks = 256
	}
	if o.MaxMessage == 0 {
		o.MaxMessage = 4 << 20
	}
	if o.ResultsIdle == 0 {
		o.ResultsIdle = resultsIdle
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}
