package upstream_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/route"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/rpc"
)

// crowd answers for any number of orchestrators, and counts those who are asked at
// once.
type crowd struct {
	rpc.UnimplementedOrchestratorServer
	now, most atomic.Int64
	// enough is closed when so many are asked at once.
	until  int64
	enough chan struct{}
	// arrived, if any, is told of each.
	arrived chan struct{}
	reply   *rpc.OrchestratorInfo
}

func (c *crowd) GetOrchestrator(ctx context.Context, _ *rpc.OrchestratorRequest) (*rpc.OrchestratorInfo, error) {
	n := c.now.Add(1)
	defer c.now.Add(-1)
	for most := c.most.Load(); n > most && !c.most.CompareAndSwap(most, n); most = c.most.Load() {
	}
	if c.arrived != nil {
		c.arrived <- struct{}{}
	}
	if n == c.until {
		close(c.enough)
	}
	select {
	case <-c.enough:
	case <-ctx.Done():
	}
	return c.reply, nil
}

// gather serves a crowd at n addresses.
func gather(t *testing.T, c *crowd, n int) []string {
	t.Helper()
	l, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	rpc.RegisterOrchestratorServer(s, c)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	t.Cleanup(func() { s.Stop(); <-ended })
	uris := make([]string, n)
	for i := range uris {
		uris[i] = fmt.Sprintf("http://127.0.%d.%d:%d", 1+i/250, 1+i%250, l.Addr().(*net.TCPAddr).Port)
	}
	return uris
}

// However many are asked at once, no call loses its connection to another one.
func TestCallsInUseAreNotClosed(t *testing.T) {
	t.Parallel()
	const n = 300
	crowd := &crowd{until: n, enough: make(chan struct{}), reply: &rpc.OrchestratorInfo{}, arrived: make(chan struct{}, 2*n)}
	c := client(t, upstream.Options{})
	var wg sync.WaitGroup
	for _, uri := range gather(t, crowd, n) {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if _, err := c.Ask(ctx, uri, &route.Wants{}); err != nil {
				t.Error(err)
				crowd.arrived <- struct{}{}
			}
		})
		<-crowd.arrived // one after another: a burst of connections would meet the kernel's limits
	}
	wg.Wait()
}

func TestADiscoveryAsksSoManyAtOnce(t *testing.T) {
	t.Parallel()
	const n, most = 600, 256
	crowd := &crowd{until: 64, enough: make(chan struct{}), reply: &rpc.OrchestratorInfo{}}
	c := client(t, upstream.Options{})
	var found atomic.Int64
	all := make(chan struct{})
	c.Discover(t.Context(), gather(t, crowd, n), &route.Wants{}, route.Patience{First: time.Minute, Stop: time.Minute}, func(f upstream.Found) bool {
		if found.Add(1) == n {
			close(all)
		}
		return false
	})
	<-all
	if got := crowd.most.Load(); got > most {
		t.Errorf("%d are asked at once", got)
	}
}

func TestRepliesAreBounded(t *testing.T) {
	t.Parallel()
	for size, ok := range map[int]bool{200 << 10: true, 300 << 10: false} {
		crowd := &crowd{until: 1, enough: make(chan struct{}), reply: &rpc.OrchestratorInfo{Node: strings.Repeat("x", size)}}
		_, err := client(t, upstream.Options{}).Ask(t.Context(), gather(t, crowd, 1)[0], &route.Wants{})
		if ok && err != nil || !ok && !errors.Is(err, fault.OrchestratorDeclined) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}
