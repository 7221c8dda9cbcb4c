package e2e

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/test/harness"
)

// TestRouter: a gateway that knows only a router is sent to both orchestrators behind
// it, works with them directly, and is sent to the other one when one ends.
func TestRouter(t *testing.T) {
	t.Parallel()
	var nodes [2]*harness.Process
	var addrs, admins [2]string
	for i := range nodes {
		addrs[i], admins[i] = harness.Address(t), harness.Address(t)
		nodes[i] = harness.Start(t, binary, "-orchestrator", "-transcoder", "-serviceAddr", addrs[i], "-httpAddr", addrs[i],
			"-cliAddr", admins[i], "-dataDir", t.TempDir(), "-nodes", "https://further.example.org:8935")
		nodes[i].WaitHTTP("https://" + addrs[i] + "/healthz")
	}
	at, admin := harness.Address(t), harness.Address(t)
	router := harness.Start(t, binary, "-router", "-orchAddr", addrs[0]+","+addrs[1], "-serviceAddr", at, "-httpAddr", at,
		"-cliAddr", admin, "-dataDir", t.TempDir())
	router.WaitHTTP("https://" + at + "/healthz")
	_, gate := gateway(t, at)
	segs := segments(t, small(2))
	for _, err := range streams(gate, 4, segs, func(int, int) {}) {
		t.Error(err)
	}
	for i, admin := range admins {
		if done := segmentsDone(t, admin); done == 0 {
			t.Errorf("orchestrator %d got no work", i)
		}
	}
	nodes[0].Signal(syscall.SIGKILL)
	nodes[0].Exit(10 * time.Second)
	router.Wait("the problem named", 20*time.Second, func() bool {
		_, body := harness.Get(t, "http://"+admin+"/api/v1/conditions")
		return strings.Contains(string(body), "OrchestratorUnreachable") && strings.Contains(string(body), addrs[0])
	})
	if _, err := harness.Push(gate, "after", "0.ts", segs[0].Data, segs[0].Duration); err != nil {
		t.Errorf("with one orchestrator left: %v", err)
	}
}

// segmentsDone is how many segments a node's devices have done, as the admin API tells.
func segmentsDone(t *testing.T, admin string) (n int64) {
	t.Helper()
	_, body := harness.Get(t, "http://"+admin+adminapi.PathWorkers)
	var all adminapi.Workers
	if err := json.Unmarshal(body, &all); err != nil {
		t.Fatal(err)
	}
	for _, w := range all.Workers {
		n += w.Done
	}
	return n
}
