package upgrade

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// TestUpgradeOfGatewayAndOrchestrator: a process that is both has segments in progress for
// which its gateway opens further connections to its orchestrator.
func TestUpgradeOfGatewayAndOrchestrator(t *testing.T) {
	t.Parallel()
	n := prepare(t, slowModel(t))
	addr := harness.Address(t)
	n.p = harness.Start(t, n.program(), append(n.args(), "-gateway", "-gatewayAddr", addr, "-transcodingOptions",
		"P144p30fps16x9")...)
	n.up()
	gw := "http://" + addr
	n.p.WaitHTTP(gw + "/healthz")
	var l load
	stop := make(chan struct{})
	for i := range 3 {
		l.unbroken(gw, fmt.Sprintf("s%d", i), segments(t, 2), stop)
	}
	within(t, 20*time.Second, "a session", func() bool { return n.drain().Sessions > 0 })
	begun := time.Now()
	pid := n.upgrade()
	n.serves(pid)
	if took := time.Since(begun); took > takeoverLimit {
		t.Errorf("the change of process took %v", took)
	}
	close(stop)
	l.wg.Wait()
	for _, err := range l.errs {
		t.Error(err)
	}
	if l.done == 0 {
		t.Error("no segment came back")
	}
	n.ends(n.p.PID())
}

// takeoverLimit is how long the change of process may take where segments are short: well
// below what the old process allows for requests that do not end.
const takeoverLimit = 8 * time.Second

// unbroken pushes segments one after another, without a pause: one of them is in progress at
// every moment.
func (l *load) unbroken(gateway, name string, segs []clip.Segment, stop <-chan struct{}) {
	l.wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			s := segs[i%len(segs)]
			_, err := harness.Push(gateway, name, fmt.Sprintf("%d.ts", i), s.Data, s.Duration)
			if err != nil {
				err = fmt.Errorf("%s segment %d: %w", name, i, err)
			}
			l.record(err)
		}
	})
}

// TestUpgradeAmongStrangers: strangers hold requests open that never come to an end, without
// credentials. The change of process takes no longer for them, so that what gateways send
// meanwhile does not wait in the socket's queue.
func TestUpgradeAmongStrangers(t *testing.T) {
	t.Parallel()
	n := start(t, slowModel(t))
	var strangers sync.WaitGroup
	t.Cleanup(strangers.Wait)
	for range 3 {
		body, end := io.Pipe()
		t.Cleanup(func() { _ = end.Close() })
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
			"https://"+n.addr+"/net.Orchestrator/GetOrchestrator", body)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/grpc")
		strangers.Go(func() {
			if res, err := harness.Client().Do(req); err == nil {
				_ = res.Body.Close()
			}
		})
		if _, err := end.Write([]byte{0}); err != nil { // it returns when the request is on its way
			t.Fatal(err)
		}
	}
	begun := time.Now()
	n.serves(n.upgrade())
	if took := time.Since(begun); took > takeoverLimit {
		t.Errorf("the change of process took %v", took)
	}
	n.ends(n.p.PID())
}
