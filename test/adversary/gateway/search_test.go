package gateway

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// TestOpenPushesHaveFewOrchestratorsAsked: a stranger that may push, because the operator
// lets everyone, does not make the gateway ask its orchestrators at the pace of his pushes,
// whatever key they claim.
func TestOpenPushesHaveFewOrchestratorsAsked(t *testing.T) {
	t.Parallel()
	for name, claim := range map[string]string{"no key": "", "a claimed key": "Bearer tk-no-such-key"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fewAsked(t, claim)
		})
	}
}

func fewAsked(t *testing.T, claim string) {
	var asked atomic.Int64
	refuses := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/GetOrchestrator") {
			asked.Add(1)
		}
		w.Header().Set("Content-Type", "application/grpc")
		w.Header().Set("Grpc-Status", "2")
	}))
	refuses.EnableHTTP2 = true
	refuses.StartTLS()
	t.Cleanup(refuses.Close)
	addr := harness.Address(t)
	h := &hooked{target: &target{T: t, base: "http://" + addr, dir: t.TempDir()}, segment: oneSegment(t), claim: claim}
	h.node = harness.Start(t, binary, "-gateway", "-orchAddr", refuses.Listener.Addr().String(), "-httpAddr", addr,
		"-cliAddr", harness.Address(t), "-dataDir", h.dir, "-streamAccess", "open")
	h.node.WaitHTTP(h.base + "/healthz")
	begun, pushes := time.Now(), 200
	for n := range pushes {
		if status := h.push(attacker, fmt.Sprintf("/live/spam%d/0.ts", n), ""); status == http.StatusOK {
			t.Errorf("push %d has a result", n)
		}
	}
	got, most := asked.Load(), int64(64+16*(int(time.Since(begun)/time.Second)+1))
	if got == 0 || got > most {
		t.Errorf("the orchestrator was asked %d times for %d pushes, at most %d may be", got, pushes, most)
	}
	h.push(owner, "/live/own/0.ts", "") // refused by the orchestrator, but the hook decides
	if asked.Load() == got {
		t.Error("it was not asked for a push of this machine")
	}
}
