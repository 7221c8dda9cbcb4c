package broker_test

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"

	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/rpc"
)

// ends are the statuses by which gRPC tells that a context ended, as a peer may send
// them too.
var ends = []codes.Code{codes.Canceled, codes.DeadlineExceeded}

// says answers discoveries with a status.
func (o *orchestrator) says(code codes.Code) {
	o.beforeAnswer(func(context.Context, *rpc.OrchestratorRequest) error { return grpcstatus.Error(code, "no") })
}

func TestAPeersEndIsNotTheClients(t *testing.T) {
	t.Parallel()
	for _, code := range ends {
		bad, good := fake(t, "bad"), fake(t, "good").cold()
		s := start(t, nil, bad, good)
		if text, _ := s.mustAsk(t); text != `{"bad":1}` {
			t.Fatalf("%s", text)
		}
		bad.restart()
		bad.says(code)
		if text, a := s.mustAsk(t); text != `{"good":1}` || a.Tries != 2 {
			t.Errorf("%s: %s %+v", code, text, a)
		}
	}
}

func TestOneThatAnswersDiscoveryWithAnEndIsMissed(t *testing.T) {
	t.Parallel()
	for _, code := range ends {
		bad, good := fake(t, "bad"), fake(t, "good")
		s := start(t, func(o *broker.Options, up *upstream.Options) {
			brief(o, up)
			o.RefreshEvery = time.Second
		}, bad, good)
		eventually(t, "both are known", func() bool {
			s.clock.Forward(time.Second)
			s.mustAsk(t)
			return len(s.known()) == 2
		})
		bad.says(code)
		eventually(t, "it is not counted on any more", func() bool {
			s.clock.Forward(time.Second)
			s.mustAsk(t)
			return len(s.Pools()[0].Statuses) == 1
		})
	}
}
