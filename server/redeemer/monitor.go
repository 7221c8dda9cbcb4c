package redeemer

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/rpc"
)

// MonitorMaxFloat streams a gateway's max float, now and after each change, until the client
// leaves. Each stream has its own goroutine and holds at most one value: a slow reader gets
// fewer updates and delays no other.
func (s *service) MonitorMaxFloat(m *rpc.MaxFloatReq, stream grpc.ServerStreamingServer[rpc.MaxFloatUpdate]) error {
	sender, err := senderOf(m)
	if err != nil {
		return answer(err, stream.SetTrailer)
	}
	leave, ok := s.watchers.enter(caller(stream.Context()))
	if !ok {
		return answer(fault.New(fault.RedeemerCrowded, "watch a sender", "too many are watched"), stream.SetTrailer)
	}
	defer leave()
	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()
	first, err := s.ask(ctx, sender)
	if err != nil {
		return answer(err, stream.SetTrailer)
	}
	if err := stream.Send(update(first)); err != nil {
		return err
	}
	return s.follow(ctx, sender, first, stream.Send)
}

// follow sends values that differ from the last one.
func (s *service) follow(ctx context.Context, sender core.Address, last core.Wei,
	send func(*rpc.MaxFloatUpdate) error) error {
	latest, stop := s.watch(ctx, sender)
	defer stop()
	tick := time.NewTicker(s.opt.Refresh)
	defer tick.Stop()
	for {
		var now core.Wei
		select {
		case <-ctx.Done():
			return status.FromContextError(ctx.Err()).Err()
		case <-s.ended:
			return status.Error(codes.Unavailable, "the redeemer stops")
		case now = <-latest:
		case <-tick.C:
			// The chain adapter may drop a gateway that is not read for long. A value from
			// before is older than the one read now.
			select {
			case <-latest:
			default:
			}
			var err error
			if now, err = s.ask(ctx, sender); err != nil {
				continue
			}
		}
		if now.Cmp(last) == 0 {
			continue
		}
		if err := send(update(now)); err != nil {
			return err
		}
		last = now
	}
}

// watch keeps the latest value in a channel of one until stop is called.
func (s *service) watch(ctx context.Context, sender core.Address) (latest chan core.Wei, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	latest, done := make(chan core.Wei, 1), make(chan struct{})
	go func() {
		defer close(done)
		_ = s.opt.Redeemer.WatchMaxFloat(ctx, sender, func(now core.Wei) error {
			select {
			case <-latest: // intermediate values are skipped
			default:
			}
			latest <- now
			return nil
		})
	}()
	return latest, func() {
		cancel()
		<-done
	}
}
