package media

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// split starts an off-chain orchestrator without devices of its own, and a transcoder on
// the CPU that works for it.
func split(t *testing.T, args ...string) (node, worker *harness.Process, addr string) {
	t.Helper()
	const secret = "secret of the workers"
	addr = harness.Address(t)
	node = harness.Start(t, binary, "-orchestrator", "-serviceAddr", addr, "-httpAddr", addr, "-cliAddr",
		harness.Address(t),
		"-dataDir", t.TempDir(), "-orchSecret", secret)
	node.WaitHTTP("https://" + addr + "/healthz")
	worker = harness.Start(t, binary,
		append([]string{"-transcoder", "-orchAddr", addr, "-orchSecret", secret, "-network", "offchain",
			"-cliAddr", harness.Address(t), "-dataDir", t.TempDir(), "-encoderPreset", "ultrafast", "-maxSessions", "100"},
			args...)...)
	node.Wait("the transcoder to register", 60*time.Second, func() bool {
		return strings.Contains(node.Log(), "transcoder registered worker=")
	})
	return node, worker, addr
}

// TestBadStreamsTakeNoRemoteTranscoderAway: an address sends segments that end media
// workers, or take all time and CPU cores that they can get, each in a new stream, to an
// orchestrator whose only transcoder is on another machine. That is not taken for broken,
// and new streams of a gateway that did good work before, begun all at once, lose no segment.
func TestBadStreamsTakeNoRemoteTranscoderAway(t *testing.T) {
	t.Run("blocking", func(t *testing.T) {
		node, worker, addr := split(t)
		badStreams(t, node, worker, addr, endless(t), "clientIP=127.0.1.2")
	})
	t.Run("ending", func(t *testing.T) {
		node, worker, addr := split(t, "-workerMemory", small)
		badStreams(t, node, worker, addr, tooLarge(t), "a stream ends or blocks media workers")
	})
}

// badStreams waits until the bad streams show by a text in one of the logs.
func badStreams(t *testing.T, node, worker *harness.Process, addr string, bad []byte, shown string) {
	t.Helper()
	const streams, each = 4, 3
	_, ours := gateway(t, addr)
	segments := honest(t, 30)
	for n, s := range segments {
		if status, text, err := push(t.Context(), ours, "known", n, s.Data); err != nil || status != http.StatusOK {
			t.Fatalf("segment %d of the known gateway: status %d, %v: %.200s", n, status, err, text)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	from := newSender(t, 0, addr)
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	all.Go(func() {
		attack(ctx, "", func(ctx context.Context, _ string, n int) (string, error) {
			return "", from.send(ctx, varied(bad, n))
		})
	})
	worker.Wait("the streams to be noticed", 90*time.Second, func() bool {
		return strings.Contains(worker.Log(), shown) || strings.Contains(node.Log(), shown)
	})
	node.Wait("segments to end", 60*time.Second,
		func() bool { return strings.Count(node.Log(), "clientIP=127.0.1.2") >= 12 })
	var wg sync.WaitGroup
	for i := range streams {
		wg.Go(func() {
			for n := range each {
				ctx, cancel := context.WithTimeout(t.Context(), harness.Stretch(8*time.Second))
				status, text, err := push(ctx, ours, fmt.Sprint("new", i), n, segments[n].Data)
				cancel()
				if err != nil || status != http.StatusOK {
					t.Errorf("segment %d of new stream %d: status %d, %v: %.200s", n, i, status, err, text)
				}
			}
		})
	}
	wg.Wait()
	if strings.Contains(node.Log()+worker.Log(), "a device fails repeatedly") {
		t.Error("the transcoder was taken for broken")
	}
}
