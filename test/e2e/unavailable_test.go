package e2e

import (
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/harness"
)

// gatewayConditions are the conditions of a gateway by their codes.
func gatewayConditions(t *testing.T, admin string) map[string]string {
	t.Helper()
	var list []condition
	_, body := harness.Get(t, "http://"+admin+"/api/conditions")
	if err := json.Unmarshal(body, &list); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	out := make(map[string]string)
	for _, c := range list {
		out[c.Code] = c.About + ": " + c.Detail
	}
	return out
}

// TestModelServerIsGone: a model whose server cannot be reached is told from one that no
// orchestrator has: by the error, which names the orchestrator, and by a condition of the
// gateway, which ends when the server is back.
func TestModelServerIsGone(t *testing.T) {
	t.Parallel()
	const id = "test/gone"
	server := harness.Address(t)
	n := startNode(t, setup{entries: []entry{llmEntry(id, "http://"+server)}, args: []string{"-aiAllowUnverified"}})
	n.fails("llm", id, fault.RunnerUnreachable)
	admin := harness.Address(t)
	_, gw := gatewayAt(t, n.orch, admin)

	a, err := ask(t.Context(), gw+"/v1/chat/completions", "", chatRequest(id, 3, false))
	if err != nil || a.Status != http.StatusServiceUnavailable || a.Error != "ModelUnavailable" ||
		a.Header.Get("Retry-After") == "" ||
		!strings.Contains(a.Body, "the orchestrator at https://"+n.orch+" cannot reach its model server") ||
		!strings.Contains(a.Body, id) {
		t.Errorf("%v, %+v", err, a)
	}
	if c := gatewayConditions(t, admin)["ModelUnavailable"]; !strings.HasPrefix(c, "llm "+id+": ") ||
		!strings.Contains(c, n.orch) || !strings.Contains(c, "RunnerUnreachable") {
		t.Errorf("conditions: %v", gatewayConditions(t, admin))
	}
	a, err = ask(t.Context(), gw+"/v1/chat/completions", "", chatRequest("test/other", 3, false))
	if err != nil || a.Status != http.StatusNotFound || a.Error != "model_not_found" ||
		!strings.Contains(a.Body, `no orchestrator offers the model \"test/other\"`) {
		t.Errorf("%v, %+v", err, a)
	}

	l, err := net.Listen("tcp", server)
	if err != nil {
		t.Fatal(err)
	}
	cannedAt(t, l, one)
	n.Wait("the model to be back", harnessTime, func() bool {
		a, err := ask(t.Context(), gw+"/v1/chat/completions", "", chatRequest(id, 3, false))
		return err == nil && a.Status == http.StatusOK
	})
	n.Wait("the condition to end", harnessTime, func() bool { return len(gatewayConditions(t, admin)) == 0 })
	explained(t, "ModelUnavailable")
}
