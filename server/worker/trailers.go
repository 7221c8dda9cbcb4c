package worker

import (
	"context"
	"sync/atomic"

	"google.golang.org/grpc/stats"
)

// trailerKey is the context key of an RPC's trailer flag.
type trailerKey struct{}

// withTrailerFlag sets flag when the server ends an RPC of the context with trailers. A
// status that gRPC makes up for a broken connection comes without trailers, and the
// connection's own state may change later.
func withTrailerFlag(ctx context.Context, flag *atomic.Bool) context.Context {
	return context.WithValue(ctx, trailerKey{}, flag)
}

// trailerStats is the stats handler that sets the flags.
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
