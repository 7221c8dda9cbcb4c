package e2e

import (
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/harness"
)

// TestRunnersBehindTLS: a server that signs its own certificate is a condition that says TLS and why, is served after
// a reload with `ca`, and plain HTTP to its port says so too. A live runner of the kind has its own `ca`.
func TestRunnersBehindTLS(t *testing.T) {
	t.Parallel()
	plain := canned(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant",` +
			`"content":"word"}}],"usage":{"completion_tokens":1}}`))
	})
	s := httptest.NewTLSServer(plain.Config.Handler)
	t.Cleanup(s.Close)
	pemFile := writeFile(t, "runner.pem",
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})))
	without, mixed := llmEntry("test/secure", s.URL), llmEntry("test/mixed", "http://"+s.Listener.Addr().String())
	mixed["served_model"], without["served_model"] = cannedModel, cannedModel
	turned := llmEntry("test/turned", "https://"+plain.Listener.Addr().String())
	runner := func(label, ca string) map[string]any {
		return map[string]any{"label": label, "app": "demo/" + label, "runner_url": s.URL, "health_url": s.URL + "/health",
			"ca": ca}
	}
	live, _ := json.Marshal(map[string]any{"runners": []any{runner("secure", pemFile)}})
	models := writeModels(t, []entry{without, mixed, turned})
	n := startNode(t, setup{models: models,
		args: []string{"-aiAllowUnverified", "-liveRunnerConfig", writeFile(t, "live.json", string(live))}})
	for about, want := range map[string]string{
		"llm test/secure": "unknown authority", "llm test/mixed": "must begin with https://",
		"llm test/turned": "must begin with http://",
	} {
		if c := n.condition(fault.RunnerTLS, about); !strings.Contains(c.Detail, "TLS") || !strings.Contains(c.Detail, want) {
			t.Errorf("%s: %+v", about, c)
		}
	}
	for _, c := range n.conditions() {
		if c.About == "secure" {
			t.Errorf("the live runner with ca: %+v", c)
		}
	}
	// The same entry with the certificate.
	without["ca"] = pemFile
	text, _ := json.Marshal([]entry{without})
	if err := os.WriteFile(models, text, 0o600); err != nil {
		t.Fatal(err)
	}
	said, _ := harness.Output(t, binary, "doctor", "-only", "ai.servers", "-orchestrator", "-aiWorker",
		"-aiAllowUnverified", "-aiModels", models, "-dataDir", t.TempDir())
	if strings.Contains(said, "RunnerTLS") || !strings.Contains(said, "pass") {
		t.Errorf("the doctor does not use ca:\n%s", said)
	}
	n.Signal(syscall.SIGHUP)
	awaitModel(t, n.Process, n.orch, "test/secure", "ready")
	n.Wait("no condition of TLS", time.Minute, func() bool {
		for _, c := range n.conditions() {
			if c.Code == string(fault.RunnerTLS) {
				return false
			}
		}
		return true
	})
	_, gw := gateway(t, n.orch)
	mustAsk(t, gw+"/llm", "", chatRequest("test/secure", 3, false))
	explained(t, fault.RunnerTLS)
}

// TestLiveRunnerWithoutCA: the condition of a live runner whose certificate no authority signed says TLS.
func TestLiveRunnerWithoutCA(t *testing.T) {
	t.Parallel()
	s := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(s.Close)
	live, _ := json.Marshal(map[string]any{"runners": []any{
		map[string]any{"label": "strange", "app": "demo/strange", "runner_url": s.URL, "health_url": "/health"},
		map[string]any{"label": "mixed", "app": "demo/mixed", "health_url": "/health",
			"runner_url": "http://" + s.Listener.Addr().String()},
	}})
	n := startNode(t, setup{entries: []entry{llmEntry(cannedModel, canned(t, http.NotFound).URL)},
		args: []string{"-liveRunnerConfig", writeFile(t, "live.json", string(live))}})
	for about, want := range map[string]string{"strange": "unknown authority", "mixed": "must begin with https://"} {
		if c := n.condition(fault.RunnerTLS, about); !strings.Contains(c.Detail, want) {
			t.Errorf("%+v", c)
		}
	}
}
