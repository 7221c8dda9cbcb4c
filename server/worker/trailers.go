package worker

import (
	"context"
	"sync/atomic"

	"google.golang.org/grpc/stats"
)

// endingKey is the key of an RPC's flag for endings.
type trailerKey struct{}

// withEnding has flag set when the server ends the RPCs of the context itself: by
// trailers. A status that gRPC made up because the connection broke comes without, and
// the connection's own state may change only later.
func withTrailerFlag(ctx context.Context, flag *atomic.Bool) context.Context {
	return context.WithValue(ctx, trailerKey{}, flag)
}

// endings is the stats handler of connections that sets the flags.
type trailerStats struct{}

// HandleRPC looks for trailers.
func (trailerStats) HandleRPC(ctx context.Context, event stats.RPCStats) {
	if _, ok := event.(*stats.InTrailer); !ok {
		return
	}
	if flag, ok := ctx.Value(trailerKey{}).(*atomic.Bool); ok {
		flag.Store(true)
	}
}

// TagRPC adds nothing.
func (trailerStats) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

// TagConn adds nothing.
func (trailerStats) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn ignores the event.
func (trailerStats) HandleConn(context.Context, stats.ConnStats) {}
