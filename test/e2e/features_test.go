package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tuttinode/tutti/test/harness"
)

// featuresModel is served by servers that can do different things, featuresLong by one with a long context.
const (
	featuresModel = "features/model"
	featuresLong  = "features/long"
)

// featureServer is a model server that refuses tools, or texts that are too long, in the words of Ollama and vLLM. It
// says nothing of itself that a node could ask for.
type featureServer struct {
	url string
	// jobs and refused count chats.
	jobs, refused atomic.Int32
}

func newFeatureServer(t *testing.T, id string, tools bool, maxText int) *featureServer {
	t.Helper()
	s := new(featureServer)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"object":"list","data":[{"id":%q,"object":"model","owned_by":"x"}]}`, id)
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Messages []struct{ Content string }
			Tools    []any
		}
		w.Header().Set("Content-Type", "application/json")
		s.jobs.Add(1)
		refuse := ""
		switch err := json.NewDecoder(r.Body).Decode(&in); {
		case err != nil:
			refuse = `{"error":{"message":"no chat"}}`
		case len(in.Tools) > 0 && !tools:
			refuse = `{"error":{"message":"registry/` + id + ` does not support tools","type":"invalid_request_error"}}`
		case len(in.Messages[0].Content) > maxText:
			refuse = fmt.Sprintf(`{"error":{"message":"This model's maximum context length is %d tokens. However, you `+
				`requested more","code":"context_length_exceeded"}}`, maxText/4)
		}
		if refuse != "" {
			s.refused.Add(1)
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, refuse)
			return
		}
		fmt.Fprintf(w, `{"object":"chat.completion","model":%q,"choices":[{"index":0,"message":{"role":"assistant",`+
			`"content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`, id)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// featureNodes are two orchestrators of one model: that of a has no tools, that of b a short context.
type featureNodes struct {
	a, b     *featureServer
	atA, atB string
}

func newFeatureNodes(t *testing.T, entryA, entryB entry) *featureNodes {
	t.Helper()
	n := &featureNodes{a: newFeatureServer(t, featuresModel, false, 1<<20),
		b: newFeatureServer(t, featuresModel, true, 400)}
	start := func(s *featureServer, with entry) string {
		e := llmEntry(featuresModel, s.url)
		for k, v := range with {
			e[k] = v
		}
		node, at := aiOrchestrator(t, []entry{e})
		awaitModel(t, node, at, featuresModel, "ready")
		return at
	}
	n.atA, n.atB = start(n.a, entryA), start(n.b, entryB)
	return n
}

// chatOf is a chat with these further fields that asks one orchestrator first.
func chatOf(fields, text, firstAt string) string {
	return fmt.Sprintf(`{"model":%q,"provider":{"order":[%q]},"max_tokens":8,%s"messages":[{"role":"user","content":%q}]}`,
		featuresModel, firstAt, fields, text)
}

const someTools = `"tools":[{"type":"function","function":{"name":"f"}}],`

// askAt sends a request, and returns who answered.
func askAt(t *testing.T, url, body string) (status int, at, text string) {
	t.Helper()
	res, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, strings.TrimPrefix(res.Header.Get("X-Tutti-Orchestrator"), "https://"), string(readAll(t, res))
}

// TestFeaturesLearned: what orchestrators do not say costs one refusal, and then no more. Requests that do not need it
// go where they went.
func TestFeaturesLearned(t *testing.T) {
	t.Parallel()
	n := newFeatureNodes(t, nil, nil)
	_, gw := gateway(t, n.atA+","+n.atB)
	long := strings.Repeat("long ", 200)
	for i, tt := range []struct {
		name, request, want string
		refusedA, refusedB  int32
	}{
		{"tools", chatOf(someTools, "hi", n.atA), n.atB, 1, 0},
		{"tools again", chatOf(someTools, "hi", n.atA), n.atB, 1, 0},
		{"tools a third time", chatOf(someTools, "hi", n.atA), n.atB, 1, 0},
		{"no tools", chatOf("", "hi", n.atA), n.atA, 1, 0},
		{"long", chatOf("", long, n.atB), n.atA, 1, 1},
		{"long again", chatOf("", long, n.atB), n.atA, 1, 1},
		{"short", chatOf("", "hi", n.atB), n.atB, 1, 1},
	} {
		status, at, text := askAt(t, gw+"/v1/chat/completions", tt.request)
		a, b := n.a.refused.Load(), n.b.refused.Load()
		if status != http.StatusOK || at != tt.want || a != tt.refusedA || b != tt.refusedB {
			t.Errorf("%d %s: %d by %s (a is %s), refused by a %d and by b %d: %s", i, tt.name, status, at, n.atA, a, b, text)
		}
	}
}

// TestFeaturesOffered: what the offers say decides at the first request, and what no orchestrator can do is refused
// without asking any.
func TestFeaturesOffered(t *testing.T) {
	t.Parallel()
	n := newFeatureNodes(t, entry{"features": map[string]any{"tools": false, "vision": false, "context": 100_000}},
		entry{"features": map[string]any{"tools": true, "vision": false, "context": 100, "json_schema": true}})
	admin, dir := harness.Address(t), t.TempDir()
	_, gw := gatewayAt(t, n.atA+","+n.atB, admin, "-dataDir", dir)
	long := strings.Repeat("long ", 200)
	for name, tt := range map[string]struct{ request, want string }{
		"tools":   {chatOf(someTools, "hi", n.atA), n.atB},
		"long":    {chatOf("", long, n.atB), n.atA},
		"neither": {chatOf("", "hi", n.atB), n.atB},
	} {
		status, at, text := askAt(t, gw+"/v1/chat/completions", tt.request)
		if status != http.StatusOK || at != tt.want {
			t.Errorf("%s: %d by %s: %s", name, status, at, text)
		}
	}
	jobs := n.a.jobs.Load() + n.b.jobs.Load()
	picture := `{"model":"` + featuresModel + `","messages":[{"role":"user","content":[{"type":"image_url",` +
		`"image_url":{"url":"data:image/png;base64,AAAA"}}]}]}`
	for name, tt := range map[string]struct{ path, request, code, text string }{
		"pictures": {"/v1/chat/completions", picture, "ModelLacksFeature", "has no vision"},
		"embeddings": {"/v1/embeddings", `{"model":"` + featuresModel + `","input":"a"}`, "OperationUnknown",
			"no orchestrator does embedding"},
		"logprobs, required": {"/v1/chat/completions", `{"model":"` + featuresModel + `","logprobs":true,"provider":` +
			`{"require_parameters":true},"messages":[{"role":"user","content":"hi"}]}`, "OrchestratorsExcluded", "provider"},
	} {
		status, _, text := askAt(t, gw+tt.path, tt.request)
		if status != http.StatusNotFound || !strings.Contains(text, tt.code) || !strings.Contains(text, tt.text) {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
	if now := n.a.jobs.Load() + n.b.jobs.Load(); now != jobs || n.a.refused.Load()+n.b.refused.Load() > 0 {
		t.Errorf("%d jobs for what no orchestrator can do, %d and %d refused", now-jobs, n.a.refused.Load(),
			n.b.refused.Load())
	}

	res, err := http.Get(gw + "/v1/models/" + featuresModel)
	if err != nil {
		t.Fatal(err)
	}
	listed := string(readAll(t, res))
	for _, want := range []string{`"context_length":100000`, `"input_modalities":["text"]`,
		`"supported_parameters":["tools","tool_choice","response_format","structured_outputs"]`} {
		if !strings.Contains(listed, want) {
			t.Errorf("the list has no %s: %s", want, listed)
		}
	}
	request := filepath.Join(t.TempDir(), "request.json")
	if err := os.WriteFile(request, []byte(chatOf(someTools, long, n.atA)), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ := harness.Output(t, binary, "gateway", "route", "--explain", request, "-gateway", "-orchAddr", n.atA,
		"-cliAddr", admin, "-dataDir", dir)
	for _, want := range []string{"1  https://" + n.atB, "may_lack_feature", "there is no other: context",
		"-  https://" + n.atA, "lacks_feature", "what the request needs: tools"} {
		if !strings.Contains(out, want) {
			t.Errorf("explained without %q:\n%s", want, out)
		}
	}
}

// TestFeaturesAndLongerModels: what is too long for all orchestrators of a model goes to the longer one of the
// operator's file. A refusal is believed when a second one refuses as well, or says in its offer that it would.
func TestFeaturesAndLongerModels(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		with    entry
		refused int32
	}{
		"learned": {nil, 6},
		"offered": {entry{"features": map[string]any{"context": 100}}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var servers []*featureServer
			var addresses []string
			longServer := newFeatureServer(t, featuresLong, true, 1<<20)
			for range 2 {
				s := newFeatureServer(t, featuresModel, true, 400)
				e := llmEntry(featuresModel, s.url)
				for k, v := range tt.with {
					e[k] = v
				}
				node, at := aiOrchestrator(t, []entry{e, llmEntry(featuresLong, longServer.url)})
				awaitModel(t, node, at, featuresModel, "ready")
				awaitModel(t, node, at, featuresLong, "ready")
				servers, addresses = append(servers, s), append(addresses, at)
			}
			routing := filepath.Join(t.TempDir(), "routing.json")
			if err := os.WriteFile(routing, []byte(`{"models":{"`+featuresModel+`":{"longer":["`+featuresLong+`"]}}}`),
				0o600); err != nil {
				t.Fatal(err)
			}
			_, gw := gateway(t, strings.Join(addresses, ","), "-aiRouting", routing)
			for _, at := range addresses { // both are known, and serve
				status, by, text := askAt(t, gw+"/v1/chat/completions", chatOf("", "hi", at))
				if status != http.StatusOK || by != at {
					t.Fatalf("%d by %s, want %s: %s", status, by, at, text)
				}
			}
			long := fmt.Sprintf(`{"model":%q,"max_tokens":8,"messages":[{"role":"user","content":%q}]}`, featuresModel,
				strings.Repeat("long ", 200))
			for i := range 3 {
				status, _, text := askAt(t, gw+"/v1/chat/completions", long)
				if status != http.StatusOK || longServer.jobs.Load() != int32(i+1) {
					t.Errorf("request %d: %d %s, %d jobs of the longer model", i, status, text, longServer.jobs.Load())
				}
			}
			if refused := servers[0].refused.Load() + servers[1].refused.Load(); refused != tt.refused {
				t.Errorf("%d refusals for three requests, want %d", refused, tt.refused)
			}
		})
	}
}
