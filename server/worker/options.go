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
	// Node is by what name our own orchestrators know this worker, "tutti/1.2.3".
	Node string
	// Worker is the name that its operator gave it; "" for none.
	Worker string
	// Instance is random, one per process: by it a further registration takes the
	// place of the one before.
	Instance string
	// Kind is what the worker is, "transcoder", for conditions of a process that is
	// several; "" for none.
	Kind string
	// Credential is the marker of results in Authorization, "Livepeer-Transcoder-1.0".
	Credential string
	// Landmark is the log line of a registration, "Registering transcoder to".
	Landmark string
	// MaxTasks bounds the tasks of one orchestrator that run at once; while there are
	// as many nothing further is read. 0 is 256.
	MaxTasks int
	// MaxMessage bounds a notice, in bytes; 0 is 4 MiB.
	MaxMessage int
	// Stores are private networks from which inputs are fetched, whoever names them; see
	// Origin.
	Stores fetchurl.Networks
	Log    *slog.Logger
	// Board shows orchestrators that cannot be reached; nil shows them nowhere.
	Board *health.Board
	Now   func() time.Time
	// Rand gives numbers from 0 to 1, for pauses; it is called by several goroutines.
	Rand func() float64
}

// Registration is what every kind of registration tells.
type Registration struct {
	// Secret is in clear, as it is sent.
	Secret                 string
	Node, Worker, Instance string
	// Draining says that the worker finishes what it has and wants nothing new.
	Draining bool
}

// Work is a kind of worker; N is its notice, rpc.NotifySegment or rpc.NotifyAIJob.
type Work[N any] interface {
	// Offer is what a registration would tell now, in any form that can be compared,
	// without what changes all the time. When it changes, the loop registers anew; while
	// it is nil there is nothing to offer, and the worker stays away.
	Offer() []byte
	// Register opens the stream of a registration on a connection.
	Register(ctx context.Context, conn grpc.ClientConnInterface, r Registration) (grpc.ServerStreamingClient[N], error)
	// Notice acts on a notice. Those of one orchestrator come one after another; it
	// hands long work to from.Start and returns. It keeps what it is given.
	Notice(from *Link, notice *N)
}

// Pressing is for a Work that tells changes of its offer that must be told soon from
// those that can wait for an idle moment: to most orchestrators of the network an offer
// cannot be told without the loss of the sessions that there are. Without it all press.
type Pressing interface {
	Presses(told, now []byte) bool
}

// Emptying is for a Work whose offers may be of no use to orchestrators of the network.
// Who was told such a one has nothing to lose: the next is told at once.
type Emptying interface {
	Empty(told []byte) bool
}

// Keeper is for a Work that keeps something for an orchestrator from one task to the
// next. Forget ends it, after the tasks that still run: the orchestrator knows nothing of
// it any more.
type Keeper interface {
	Forget(of *Link)
}

func (o Options) withDefaults() Options {
	if o.MaxTasks == 0 {
		o.MaxTasks = 256
	}
	if o.MaxMessage == 0 {
		o.MaxMessage = 4 << 20
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}
