package worker

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

// line is a stream whose header comes after a while, and whose notices never do.
type line struct {
	grpc.ServerStreamingClient[rpc.NotifySegment]
	ctx    context.Context
	after  time.Duration
	header metadata.MD
}

func (l line) Header() (metadata.MD, error) {
	select {
	case <-time.After(l.after):
		return l.header, nil
	case <-l.ctx.Done():
		return nil, nil
	}
}

func (l line) Recv() (*rpc.NotifySegment, error) {
	<-l.ctx.Done()
	return nil, io.EOF
}

// What an orchestrator says of itself counts whenever it comes, and stays; one that
// says nothing counts as having taken the registration after a while.
func TestWhatAnOrchestratorSaysOfItself(t *testing.T) {
	ours := metadata.Pairs(remote.NodeMetadata, "tutti/1.0.0")
	for _, row := range []struct {
		name  string
		after time.Duration
		md    metadata.MD
		taken time.Duration
		// was is what was known of it before.
		was, own bool
	}{
		{"ours at once", 0, ours, 0, false, true},
		{"ours late", time.Minute, ours, settleTime, false, true},
		{"silent", time.Hour, nil, settleTime, false, false},
		{"ours, silent for once", time.Hour, nil, settleTime, true, true},
		{"another's header", 0, metadata.Pairs("content-type", "application/grpc"), settleTime, false, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := Options{Now: time.Now}.withDefaults()
				l := newLink(&o, "host:8935", "i-1")
				l.isTutti = row.was
				began := time.Now()
				s := openStream(t.Context(), l, nil, false, func(ctx context.Context,
					_ Registration) (grpc.ServerStreamingClient[rpc.NotifySegment], error) {
					return line{ctx: ctx, after: row.after, header: row.md}, nil
				}, func(*rpc.NotifySegment) {})
				<-s.accepted
				if took := time.Since(began); took != row.taken {
					t.Errorf("taken after %v", took)
				}
				<-time.After(2 * time.Minute)
				synctest.Wait()
				if l.IsTutti() != row.own {
					t.Errorf("own kind: %v", l.IsTutti())
				}
				s.end()
				if s.err != nil {
					t.Error(s.err)
				}
			})
		})
	}
}

// The time in which an orchestrator may refuse does not begin before it has been asked.
func TestNothingStandsBeforeItWasAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Options{Now: time.Now}.withDefaults()
		s := openStream(t.Context(), newLink(&o, "host:8935", "i-1"), nil, false,
			func(ctx context.Context, _ Registration) (grpc.ServerStreamingClient[rpc.NotifySegment], error) {
				<-time.After(10 * settleTime) // dialing
				return nil, io.ErrUnexpectedEOF
			}, func(*rpc.NotifySegment) {})
		<-s.done
		select {
		case <-s.accepted:
			t.Error("it counts as registered")
		default:
		}
	})
}
