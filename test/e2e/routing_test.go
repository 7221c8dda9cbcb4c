package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// The models of a server that answers with the parameters it got; the short one refuses a long text.
const (
	shortModel = "routing/short"
	longModel  = "routing/long"
)

// parameterServer is a model server for one model.
func parameterServer(t *testing.T, id string, maxText int) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"object":"list","data":[{"id":%q,"object":"model","owned_by":"x"}]}`, id)
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Model       string
			Models      []string
			Temperature *float64
			Stream      bool
			Messages    []struct{ Content string }
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Model != id || in.Models != nil {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"error":{"message":"not for this server: %v, %q %q"}}`, err, in.Model, in.Models)
			return
		}
		if len(in.Messages[0].Content) > maxText {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":{"message":"This model's maximum context length is 64 tokens.",`+
				`"type":"invalid_request_error","code":"context_length_exceeded"}}`)
			return
		}
		temperature := "none"
		if in.Temperature != nil {
			temperature = fmt.Sprint(*in.Temperature)
		}
		text := fmt.Sprintf("%s at %s", id, temperature)
		if in.Stream {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, `data: {"model":%q,"choices":[{"index":0,"delta":{"content":%q}}]}`+"\n\n", id, text)
			fmt.Fprintf(w, `data: {"model":%q,"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+
				"\n\ndata: [DONE]\n\n", id)
			return
		}
		fmt.Fprintf(w, `{"object":"chat.completion","model":%q,"choices":[{"index":0,"message":{"role":"assistant",`+
			`"content":%q},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`, id, text)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// TestRouting has a gateway's operator give models names, fallbacks and parameters, and change them while
// the gateway runs.
func TestRouting(t *testing.T) {
	t.Parallel()
	node, orch := aiOrchestrator(t, []entry{llmEntry(shortModel, parameterServer(t, shortModel, 100)),
		llmEntry(longModel, parameterServer(t, longModel, 1<<20))})
	awaitModel(t, node, orch, shortModel, "ready")
	awaitModel(t, node, orch, longModel, "ready")
	routing := filepath.Join(t.TempDir(), "routing.json")
	write := func(text string) {
		if err := os.WriteFile(routing, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"models": {
		"gpt-4o-mini": {"model": "` + shortModel + `", "parameters": {"temperature": 0.25}, "longer": ["` + longModel + `"]},
		"departed": {"model": "routing/none", "fallbacks": ["gpt-4o-mini"]}
	}}`)
	p, gw := gateway(t, orch, "-aiRouting", routing)
	ask := func(request string) (int, string) {
		res, err := http.Post(gw+"/v1/chat/completions", "application/json", strings.NewReader(request))
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(readAll(t, res))
	}
	request := func(fields, text string) string {
		return `{` + fields + `,"max_tokens":8,"messages":[{"role":"user","content":"` + text + `"}]}`
	}
	long := strings.Repeat("long ", 50)
	for _, tt := range []struct{ name, request, want, model string }{
		{"alias", request(`"model":"gpt-4o-mini"`, "hi"), shortModel + " at 0.25", "gpt-4o-mini"},
		{"own parameter", request(`"model":"gpt-4o-mini","temperature":1`, "hi"), shortModel + " at 1", "gpt-4o-mini"},
		{"stream", request(`"model":"gpt-4o-mini","stream":true`, "hi"), shortModel + " at 0.25", "gpt-4o-mini"},
		{"too long", request(`"model":"gpt-4o-mini"`, long), longModel + " at none", "gpt-4o-mini"},
		{"too long, stream", request(`"model":"gpt-4o-mini","stream":true`, long), longModel + " at none", "gpt-4o-mini"},
		{"fallback", request(`"model":"departed"`, "hi"), shortModel + " at 0.25", "departed"},
		{"own list", request(`"model":"routing/none","models":["`+longModel+`"]`, "hi"), longModel + " at none", longModel},
		{"no name", request(`"model":"`+shortModel+`"`, "hi"), shortModel + " at none", shortModel},
	} {
		status, body := ask(tt.request)
		if status != http.StatusOK || !strings.Contains(body, tt.want) || !strings.Contains(body, `"model":"`+tt.model+`"`) {
			t.Errorf("%s: %d %s", tt.name, status, body)
		}
	}
	if status, body := ask(request(`"model":"`+shortModel+`"`, long)); status != http.StatusBadRequest ||
		!strings.Contains(body, "maximum context length") {
		t.Errorf("too long without a longer model: %d %s", status, body)
	}
	res, err := http.Get(gw + "/v1/models/gpt-4o-mini")
	if err != nil {
		t.Fatal(err)
	}
	if body := readAll(t, res); !strings.Contains(string(body), `"alias_of":"`+shortModel+`"`) {
		t.Errorf("the alias is listed as %s", body)
	}

	// What a running gateway takes over, and what it does not.
	write(`{"models": {"gpt-4o-mini": {"modell": "x"}}}`)
	p.Signal(syscall.SIGHUP)
	p.Wait("the mistake to be reported", 20*time.Second,
		func() bool { return strings.Contains(p.Log(), "RoutingFileInvalid") })
	if status, body := ask(request(`"model":"gpt-4o-mini"`, "hi")); status != http.StatusOK {
		t.Errorf("after a file with a mistake: %d %s", status, body)
	}
	write(`{"models": {"gpt-4o-mini": {"model": "` + longModel + `"}}}`)
	p.Signal(syscall.SIGHUP)
	p.Wait("the names to change", 20*time.Second, func() bool {
		_, body := ask(request(`"model":"gpt-4o-mini"`, "hi"))
		return strings.Contains(body, longModel+" at none")
	})
}

// TestRoutingFileWithAMistake: a gateway does not start with one, and says what is wrong.
func TestRoutingFileWithAMistake(t *testing.T) {
	t.Parallel()
	routing := filepath.Join(t.TempDir(), "routing.json")
	if err := os.WriteFile(routing, []byte(`{"models":{"a":{"parameters":{"max_tokens":1}}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	p := harness.Start(t, binary, "-gateway", "-orchAddr", harness.Address(t), "-httpAddr", harness.Address(t),
		"-cliAddr", harness.Address(t), "-dataDir", t.TempDir(), "-aiRouting", routing)
	if status := p.Exit(time.Minute); status == 0 {
		t.Error("it ends with status 0")
	}
	if out := p.Log(); !strings.Contains(out, "RoutingFileInvalid") ||
		!strings.Contains(out, "parameters.max_tokens: the field may not be set here") {
		t.Errorf("%s", out)
	}
}
