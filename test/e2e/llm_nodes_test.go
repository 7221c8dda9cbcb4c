package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/llama"
)

// entry is a model as it stands in aiModels.json.
type entry map[string]any

// llmEntry is an external text model of the server at url.
func llmEntry(model, url string) entry {
	return entry{"pipeline": "llm", "model_id": model, "warm": true, "price_per_unit": 0, "pixels_per_unit": 1000000,
		"url": url}
}

// aiOrchestrator starts an orchestrator that only serves models.
func aiOrchestrator(t *testing.T, models []entry, args ...string) (*harness.Process, string) {
	t.Helper()
	addr := harness.Address(t)
	return startAI(t, addr, nil, models, args...), addr
}

func startAI(t *testing.T, addr string, env []string, models []entry, args ...string) *harness.Process {
	t.Helper()
	p := harness.StartIn(t, binary, env,
		append([]string{"-orchestrator", "-aiWorker", "-aiModels", modelsFile(t, models), "-aiAllowUnverified",
			"-serviceAddr", addr, "-httpAddr", addr, "-cliAddr", harness.Address(t), "-dataDir", t.TempDir()}, args...)...)
	p.WaitHTTP("https://" + addr + "/healthz")
	return p
}

// modelsFile writes an aiModels.json.
func modelsFile(t *testing.T, models []entry) string {
	t.Helper()
	text, err := json.Marshal(models)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "aiModels.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// llamaServer starts a model server of its own for a test.
func llamaServer(t *testing.T, opt llama.Options) *llama.Server {
	t.Helper()
	s, err := llama.Start(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop() })
	return s
}

// modelStatus is a model on an orchestrator's /status.
type modelStatus struct {
	Pipeline, Model, State, Code, Reason, Use string
	Warm                                      bool
	Capacity                                  int
}

// model reads a model's line of /status; the zero value when it has none.
func model(t *testing.T, orchestrator, id string) modelStatus {
	t.Helper()
	m, err := lookAt(orchestrator, id)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// lookAt is model for those that may not end the test.
func lookAt(orchestrator, id string) (modelStatus, error) {
	resp, err := harness.Client().Get("https://" + orchestrator + "/status")
	if err != nil {
		return modelStatus{}, err
	}
	defer resp.Body.Close()
	var status struct{ Models []modelStatus }
	if err := json.NewDecoder(resp.Body).Decode(&status); err != nil {
		return modelStatus{}, err
	}
	for _, m := range status.Models {
		if m.Model == id {
			return m, nil
		}
	}
	return modelStatus{}, nil
}

// awaitModel waits until a model is in a state.
func awaitModel(t *testing.T, p *harness.Process, orchestrator, id, state string) modelStatus {
	t.Helper()
	var m modelStatus
	p.Wait(id+" to be "+state, 60*time.Second, func() bool {
		m = model(t, orchestrator, id)
		return m.State == state
	})
	return m
}

// answer is what came of a request.
type answer struct {
	Status int
	Header http.Header
	Body   string
	// Text, Finish and Tokens are read from the body, Events from a stream; Error is
	// the code of an error object, wherever it came.
	Text, Finish, Error string
	Tokens, Events      int
	Done                bool
}

// request is a chat request in the making.
func chatRequest(model string, tokens int, stream bool) map[string]any {
	r := map[string]any{"model": model, "max_tokens": tokens,
		"messages": []any{map[string]string{"role": "user", "content": "hi"}}}
	if stream {
		r["stream"] = true
		r["stream_options"] = map[string]bool{"include_usage": true}
	}
	return r
}

// post sends a JSON request to an address of the gateway.
func post(ctx context.Context, url, key string, request any) (*http.Response, error) {
	text, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	return http.DefaultClient.Do(req)
}

// ask sends a request and reads the whole answer.
func ask(ctx context.Context, url, key string, request any) (answer, error) {
	res, err := post(ctx, url, key, request)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	a := answer{Status: res.StatusCode, Header: res.Header}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		return a, a.readEvents(res.Body)
	}
	body, err := io.ReadAll(res.Body)
	a.Body = string(body)
	if err != nil {
		return a, err
	}
	return a, a.take(body)
}

func (a *answer) readEvents(r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !ok {
			continue
		}
		if string(data) == "[DONE]" {
			a.Done = true
			continue
		}
		a.Events++
		if err := a.take(data); err != nil {
			return err
		}
	}
	return lines.Err()
}

// take reads one JSON object: an answer or an event of one.
func (a *answer) take(data []byte) error {
	var o struct {
		Choices []struct {
			Message struct{ Content string }
			Delta   struct{ Content string }
			Finish  string `json:"finish_reason"`
		}
		Usage *struct {
			Tokens int `json:"completion_tokens"`
		}
		Error *struct{ Code any }
	}
	if err := json.Unmarshal(data, &o); err != nil {
		return fmt.Errorf("%w in %.200s", err, data)
	}
	for _, c := range o.Choices {
		a.Text += c.Message.Content + c.Delta.Content
		if c.Finish != "" {
			a.Finish = c.Finish
		}
	}
	if o.Usage != nil {
		a.Tokens = o.Usage.Tokens
	}
	if o.Error != nil {
		a.Error = fmt.Sprint(o.Error.Code)
	}
	return nil
}

// mustAsk is ask where nothing may go wrong.
func mustAsk(t *testing.T, url, key string, request any) answer {
	t.Helper()
	a, err := ask(t.Context(), url, key, request)
	if err != nil || a.Status != http.StatusOK || a.Error != "" {
		t.Fatalf("%s: %v, %+v", url, err, a)
	}
	return a
}

func readAll(t *testing.T, res *http.Response) []byte {
	t.Helper()
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return body
}
