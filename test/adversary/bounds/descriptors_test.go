package bounds

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// fewDescriptors is the limit of the nodes below, idle how many connections come.
const fewDescriptors, idle = 256, 600

// manyConnections has so many idle connections come from several addresses, each again when it
// is closed, until the function that it returns is called.
func manyConnections(t *testing.T, to string) (stop func()) {
	t.Helper()
	const addresses = 30
	ctx, cancel := context.WithCancel(t.Context())
	var wg, opened sync.WaitGroup
	for n := range addresses {
		s := strangerAt(n, to)
		for range idle / addresses {
			opened.Add(1)
			first := sync.OnceFunc(opened.Done)
			wg.Go(func() {
				s.connectMany(ctx, 1, func(ctx context.Context) {
					defer first()
					if conn, err := s.dial(ctx); err == nil {
						first()
						hold(ctx, conn)
					}
				})
			})
		}
	}
	opened.Wait()
	return func() { cancel(); wg.Wait() }
}

// TestIdleConnectionsAtALowDescriptorLimit: on every role with a listener the node goes
// on with its work while more connections come than it has descriptors, and says that
// the limit is low.
func TestIdleConnectionsAtALowDescriptorLimit(t *testing.T) {
	seg := segments(t, 1)[0]
	t.Run("orchestrator", func(t *testing.T) {
		o := orchestrator(t, fewDescriptors)
		g := gateway(t, 0, o.front)
		g.await(t, seg)
		defer manyConnections(t, o.front)()
		works(t, g, seg)
		named(t, o)
	})
	t.Run("gateway", func(t *testing.T) {
		o := orchestrator(t, 0)
		g := gateway(t, fewDescriptors, o.front)
		g.await(t, seg)
		defer manyConnections(t, g.front)()
		works(t, g, seg)
		named(t, g)
	})
	t.Run("router", func(t *testing.T) {
		o := orchestrator(t, 0)
		r := &started{front: harness.Address(t), admin: harness.Address(t)}
		r.Process = startLimited(t, fewDescriptors, "-router", "-orchAddr", o.front, "-serviceAddr", r.front,
			"-httpAddr", r.front, "-cliAddr", r.admin, "-dataDir", t.TempDir())
		r.WaitHTTP("https://" + r.front + "/healthz")
		defer manyConnections(t, r.front)()
		gateway(t, 0, r.front).await(t, seg)
		named(t, r)
	})
}

// named waits for the condition that says that descriptors are scarce.
func named(t *testing.T, s *started) {
	t.Helper()
	s.Wait("the condition DescriptorsLow", 10*time.Second, func() bool { return s.condition(t, "DescriptorsLow") })
}

// works has a gateway do some of everything, over new connections.
func works(t *testing.T, g *started, seg clip.Segment) {
	t.Helper()
	for n := range 5 {
		harness.Client().CloseIdleConnections()
		if err := complete(t.Context(), g.base()); err != nil {
			t.Errorf("completion %d: %v", n, err)
		}
		if err := push(g.base(), "stream", n, seg); err != nil {
			t.Errorf("segment %d: %v", n, err)
		}
	}
}
