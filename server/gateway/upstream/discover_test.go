package upstream_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/rpc"
)

// answers is an orchestrator's gRPC side that answers discovery with an error.
type answers struct {
	rpc.UnimplementedOrchestratorServer
	with func(context.Context) error
}

func (a answers) GetOrchestrator(ctx context.Context, _ *rpc.OrchestratorRequest) (*rpc.OrchestratorInfo, error) {
	return nil, a.with(ctx)
}

// answering starts one and gives its service URI.
func answering(t *testing.T, with func(context.Context) error) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	rpc.RegisterOrchestratorServer(s, answers{with: with})
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	t.Cleanup(func() { s.Stop(); <-ended })
	return "http://" + l.Addr().String()
}

// What a peer says of contexts is of its own; what ours come to is ours to know.
func TestAskTellsAPeersWordsFromOurOwnEnd(t *testing.T) {
	t.Parallel()
	says := func(err error) func(context.Context) error { return func(context.Context) error { return err } }
	hangs := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	leaves := func(t *testing.T) context.Context {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		return ctx
	}
	shortly := func(t *testing.T) context.Context {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		t.Cleanup(cancel)
		return ctx
	}
	stays := func(t *testing.T) context.Context {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		t.Cleanup(cancel)
		return ctx
	}
	for name, row := range map[string]struct {
		with func(context.Context) error
		ctx  func(*testing.T) context.Context
		want fault.Code
		// renew is what Renew makes of it where that is something else.
		renew fault.Code
	}{
		"peer's canceled": {with: says(context.Canceled), ctx: stays, want: fault.OrchestratorDeclined},
		"peer's status canceled": {with: says(status.Error(codes.Canceled, "no")), ctx: stays,
			want: fault.OrchestratorDeclined},
		"peer's deadline": {with: says(context.DeadlineExceeded), ctx: stays, want: fault.OrchestratorDeclined},
		"peer's canceled, capped": {with: says(status.Error(codes.Canceled, "OrchestratorCapped")), ctx: stays,
			want: fault.OrchestratorCapped},
		"our reserve": {with: says(errors.New("Invalid orchestrator request: insufficient sender reserve")),
			ctx: stays, want: fault.InsufficientSenderReserve},
		"peer's plain words": {with: says(errors.New("no")), ctx: stays, want: fault.OrchestratorDeclined},
		"peer is unavailable": {with: says(status.Error(codes.Unavailable, "no")), ctx: stays,
			want: fault.OrchestratorUnreachable},
		"we leave":       {with: hangs, ctx: leaves, want: fault.Canceled},
		"peer is silent": {with: hangs, ctx: shortly, want: fault.OrchestratorSilent, renew: fault.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			uri := answering(t, row.with)
			c := client(t, upstream.Options{})
			wants := upstream.JobWants(model, "0.9.1", "", "")
			if _, err := c.Ask(row.ctx(t), uri, &wants); !errors.Is(err, row.want) {
				t.Errorf("ask: %v, want %s", err, row.want)
			}
			if row.renew == "" {
				row.renew = row.want
			}
			if _, err := c.Renew(row.ctx(t), uri, model, &wants); !errors.Is(err, row.renew) {
				t.Errorf("renew: %v, want %s", err, row.renew)
			}
		})
	}
}

// gRPC alone would take 16 MB of each address, and any account may
// write.
func TestLongHeadersOfOffers(t *testing.T) {
	t.Parallel()
	for _, long := range []bool{false, true} {
		uri := answering(t, func(ctx context.Context) error {
			text := "x"
			if long {
				text = strings.Repeat(text, 1<<20)
			}
			if md, _ := metadata.FromIncomingContext(ctx); strings.Join(md.Get("content-type"), ",") != "application/grpc" {
				t.Errorf("asked in the type %q", md.Get("content-type"))
			}
			if err := grpc.SetTrailer(ctx, metadata.Pairs("long", text)); err != nil {
				return err
			}
			return status.Error(codes.Unknown, "OrchestratorCapped")
		})
		wants := upstream.JobWants(model, "0.9.1", "", "")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := client(t, upstream.Options{}).Ask(ctx, uri, &wants)
		if read := errors.Is(err, fault.OrchestratorCapped); read == long {
			t.Errorf("a long trailer %t: %v", long, err)
		}
	}
}
