package e2e

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/moby/moby/client"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/engine"
	"github.com/tuttinode/tutti/test/harness"
)

// TestBackOff has a container end at every start, and another whose image is not
// there. The pauses between attempts grow, no job is sent there meanwhile, and the
// log complains once. What gets well comes back.
func TestBackOff(t *testing.T) {
	t.Parallel()
	e := engine.Start(t)
	const loops, missing, image = "test/loops", "test/comes", "127.0.0.1:1/tutti-test/comes:1"
	starts := e.API.Events(t.Context(), client.EventsListOptions{
		Filters: make(client.Filters).Add("type", "container").Add("event", "start").Add("label", "model="+loops),
	})
	later := managed(e, t, missing, nil)
	later["image"] = image
	n := startNode(t, setup{engine: e, args: []string{"-aiAllowUnverified", "-aiRunnerContainersPerGPU", "2"},
		entries: []entry{managed(e, t, loops, says("")), later}})
	_, gw := gateway(t, n.orch)
	n.fails("llm", missing, fault.ImagePullFailed)
	refused := func(id string) {
		t.Helper()
		if m := model(t, n.orch, id); m.State == "ready" || m.Code == "" && m.State == "failed" {
			t.Errorf("%+v", m)
		}
		if a, err := ask(t.Context(), gw+"/llm", "", chatRequest(id, 3, false)); err != nil || a.Error != "ModelUnavailable" {
			t.Errorf("a client is sent there: %v, %+v", err, a)
		}
	}
	refused(missing)
	tag(t, e, e.RunnerImage(t), image)
	awaitModel(t, n.Process, n.orch, missing, "ready")
	// The gateway found no orchestrator a moment ago, and believes that for a second.
	n.Wait("the gateway to find the model", 20*time.Second, func() bool {
		a, err := ask(t.Context(), gw+"/llm", "", chatRequest(missing, 3, false))
		return err == nil && a.Status == http.StatusOK
	})

	// The shortest that the pauses can be: 1, 2 and 4 s, less a fifth.
	least := []time.Duration{800 * time.Millisecond, 1600 * time.Millisecond, 3200 * time.Millisecond}
	var last time.Time
	for i := 0; i <= len(least); i++ {
		select {
		case m := <-starts.Messages:
			at := time.Unix(0, m.TimeNano)
			if i > 0 && at.Sub(last) < least[i-1] {
				t.Errorf("attempt %d came %v after the one before", i+1, at.Sub(last))
			}
			last = at
		case err := <-starts.Err:
			t.Fatal(err)
		case <-time.After(time.Minute):
			t.Fatalf("attempt %d does not come", i+1)
		}
		refused(loops)
	}
	n.fails("llm", loops, fault.ContainerExited)
	n.warnedOnce(fault.ImagePullFailed)
	for _, c := range n.conditions() {
		if c.About != "llm "+loops {
			t.Errorf("%+v", c)
		}
	}
	explained(t, fault.ContainerExited, fault.ImagePullFailed)
}

// TestServerAppears configures a model at an address without a listener. It is
// served once there is one, and again after a pause.
func TestServerAppears(t *testing.T) {
	t.Parallel()
	addr := harness.Address(t)
	n := startNode(t, setup{entries: []entry{llmEntry(cannedModel, "http://"+addr)}, args: []string{"-aiAllowUnverified"}})
	n.fails("llm", cannedModel, fault.RunnerUnreachable)
	_, gw := gateway(t, n.orch)
	a, err := ask(t.Context(), gw+"/llm", "", chatRequest(cannedModel, 3, false))
	if err != nil || a.Status != http.StatusServiceUnavailable || a.Error != "ModelUnavailable" {
		t.Errorf("%v, %+v", err, a)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	server := cannedAt(t, l, one)
	awaitModel(t, n.Process, n.orch, cannedModel, "ready")
	n.cleared()
	n.Wait("the gateway to find it", 30*time.Second, func() bool {
		a, err := ask(t.Context(), gw+"/llm", "", chatRequest(cannedModel, 3, false))
		return err == nil && a.Status == http.StatusOK
	})
	n.warnedOnce(fault.RunnerUnreachable)

	// It goes away.
	server.Close()
	n.condition(fault.RunnerUnreachable, "llm "+cannedModel)
	a, err = ask(t.Context(), gw+"/llm", "", chatRequest(cannedModel, 3, false))
	if err != nil || a.Status != http.StatusServiceUnavailable || a.Error == "" {
		t.Errorf("%v, %+v", err, a)
	}
	explained(t, fault.RunnerUnreachable)
}

// cannedAt is a canned server at a listener.
func cannedAt(t *testing.T, l net.Listener, chat http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(canned(t, chat).Config.Handler)
	s.Listener.Close()
	s.Listener = l
	s.Start()
	t.Cleanup(s.Close)
	return s
}
