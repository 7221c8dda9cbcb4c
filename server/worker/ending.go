package worker

import (
	"context"
	"sync/atomic"

	"google.golang.org/grpc/stats"
)

// endingKey is the key of an RPC's flag for endings.
type endingKey struct{}

// withEnding has flag set when the server ends the RPCs of the context itself: by
// trailers. A status that gRPC made up because the connection broke comes without, and
// the connection's own state may change only later.
func withEnding(ctx context.Context, flag *atomic.Bool) context.Context {
	return context.WithValue(ctx, endingKey{}, flag)
}

// endings is the stats handler of connections that sets the flags.
type endings struct{}

// HandleRPC looks for trailers.
func (endings) HandleRPC(ctx context.Context, event stats.RPCStats) {
	if _, ok := event.(*stats.InTrailer); !ok {
		return
	}
	if flag, ok := ctx.Value(endingKey{}).(*atomic.Bool); ok {
		flag.Store(true)
	}
}

// TagRPC adds nothing.
func (endings) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

// TagConn adds nothing.
func (endings) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn ignores the event.
func (endings) HandleConn(context.Context, stats.ConnStats) {}
