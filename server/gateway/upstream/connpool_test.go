package upstream_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/rpc"
)

// crowd answers for any number of orchestrators, and counts those that are asked at
// once.
type orchestrators struct {
	rpc.UnimplementedOrchestratorServer
	now, most atomic.Int64
	// enough is closed the first time that so many are asked at once.
	until  int64
	enough chan struct{}
	once   sync.Once
	// arrived, if any, is notified of each.
	arrived chan struct{}
	reply   *rpc.OrchestratorInfo
}

func (c *orchestrators) GetOrchestrator(ctx context.Context, _ *rpc.OrchestratorRequest) (*rpc.OrchestratorInfo,
	error) {
	n := c.now.Add(1)
	defer c.now.Add(-1)
	for most := c.most.Load(); n > most && !c.most.CompareAndSwap(most, n); most = c.most.Load() {
	}
	if c.arrived != nil {
		c.arrived <- struct{}{}
	}
	if n == c.until {
		c.once.Do(func() { close(c.enough) })
	}
	select {
	case <-c.enough:
	case <-ctx.Done():
	}
	return c.reply, nil
}

// gather serves a crowd at n addresses.
func gather(t *testing.T, c *orchestrators, n int) []string {
	t.Helper()
	s := grpc.NewServer()
	rpc.RegisterOrchestratorServer(s, c)
	var served sync.WaitGroup
	t.Cleanup(func() { s.Stop(); served.Wait() })
	uris := make([]string, n)
	for i := range uris {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		served.Go(func() { _ = s.Serve(l) })
		uris[i] = "http://" + l.Addr().String()
	}
	return uris
}

// However many are asked at once, no call loses its connection to another one.
func TestCallsInUseAreNotClosed(t *testing.T) {
	t.Parallel()
	const n = 300
	nodes := &orchestrators{until: n, enough: make(chan struct{}), reply: &rpc.OrchestratorInfo{},
		arrived: make(chan struct{}, 2*n)}
	c := client(t, upstream.Options{})
	var wg sync.WaitGroup
	for _, uri := range gather(t, nodes, n) {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if _, err := c.Ask(ctx, uri, &videorouting.Wants{}); err != nil {
				t.Error(err)
				nodes.arrived <- struct{}{}
			}
		})
		<-nodes.arrived // one after another: a burst of connections would meet the kernel's limits
	}
	wg.Wait()
}

func TestADiscoveryAsksSoManyAtOnce(t *testing.T) {
	t.Parallel()
	const n, most = 600, 256
	nodes := &orchestrators{until: 64, enough: make(chan struct{}), reply: &rpc.OrchestratorInfo{}}
	c := client(t, upstream.Options{})
	var found atomic.Int64
	all := make(chan struct{})
	c.Discover(t.Context(), gather(t, nodes, n), &videorouting.Wants{},
		videorouting.DiscoveryWait{First: time.Minute, Stop: time.Minute}, func(f upstream.Found) bool {
			if found.Add(1) == n {
				close(all)
			}
			return false
		})
	<-all
	if got := nodes.most.Load(); got > most {
		t.Errorf("%d are asked at once", got)
	}
}

func TestRepliesAreBounded(t *testing.T) {
	t.Parallel()
	for size, ok := range map[int]bool{200 << 10: true, 300 << 10: false} {
		nodes := &orchestrators{until: 1, enough: make(chan struct{}),
			reply: &rpc.OrchestratorInfo{Node: strings.Repeat("x", size)}}
		_, err := client(t, upstream.Options{}).Ask(t.Context(), gather(t, nodes, 1)[0], &videorouting.Wants{})
		if ok && err != nil || !ok && !errors.Is(err, fault.OrchestratorDeclined) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}
