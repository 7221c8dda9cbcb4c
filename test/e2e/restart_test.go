package e2e

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// TestOrchestratorRestart kills the only orchestrator between two segments and
// starts it again: tokens and sessions of the old process are worth nothing, the
// certificate is the same, and the stream goes on without losing a segment.
func TestOrchestratorRestart(t *testing.T) {
	addr, admin, dir := harness.Address(t), harness.Address(t), t.TempDir()
	start := func() *harness.Process {
		return harness.Start(t, binary, "-orchestrator", "-transcoder", "-serviceAddr", addr,
			"-httpAddr", addr, "-cliAddr", admin, "-dataDir", dir)
	}
	first := start()
	first.WaitHTTP("https://" + addr + "/healthz")
	_, gw := gateway(t, addr)
	segs := segments(t, small(3))
	push := func(n int) {
		t.Helper()
		out, err := harness.Push(gw, "movie", fmt.Sprintf("%d.ts", n), segs[n].Data, segs[n].Duration)
		if err != nil {
			t.Fatalf("segment %d: %v", n, err)
		}
		judgeRenditions(t, segs[n], out)
	}
	push(0)
	first.Signal(syscall.SIGKILL)
	first.Exit(10 * time.Second)
	second := start()
	push(1) // while it starts
	second.WaitHTTP("https://" + addr + "/healthz")
	push(2)
}
