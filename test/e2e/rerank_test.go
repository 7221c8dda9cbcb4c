package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// rankServer is a model server that ranks documents by how often the query is in them, and does nothing else.
func rankServer(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health",
		func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"status":"ok"}`) })
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w,
			`{"object":"list","data":[{"id":"rank","object":"model","owned_by":"vllm","max_model_len":512}]}`)
	})
	mux.HandleFunc("POST /v1/rerank", func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Model, Query string
			Documents    []string
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Model != "rank" {
			http.Error(w, "no documents", http.StatusBadRequest)
			return
		}
		var results []string
		for i, text := range in.Documents {
			results = append(results, fmt.Sprintf(`{"index":%d,"relevance_score":%d}`, i, strings.Count(text, in.Query)))
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"model":"rank","results":[%s],"usage":{"prompt_tokens":7,"total_tokens":7}}`,
			strings.Join(results, ","))
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// TestRerank: a model that ranks is found by what its server does, listed as such, and asked through both nodes; what
// it cannot do is refused by name, as are requests that no server could rank.
func TestRerank(t *testing.T) {
	t.Parallel()
	node, orch := aiOrchestrator(t, []entry{llmEntry("rank", rankServer(t).URL)})
	awaitModel(t, node, orch, "rank", "ready")
	_, gw := gateway(t, orch)
	post := func(path, body string) (int, string) {
		res, err := http.Post(gw+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(text)
	}
	status, text := post("/v1/rerank", `{"model":"rank","query":"a","documents":["bab","aaa","b"]}`)
	var got struct {
		Model   string
		Results []struct {
			Index int
			Score float64 `json:"relevance_score"`
		}
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil || status != http.StatusOK || got.Model != "rank" ||
		len(got.Results) != 3 || got.Results[1].Score != 3 {
		t.Errorf("%d %s", status, text)
	}
	res, err := http.Get(gw + "/v1/models/rank")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var model struct{ Operations []string }
	if err := json.NewDecoder(res.Body).Decode(&model); err != nil || !slices.Equal(model.Operations, []string{"rerank"}) {
		t.Errorf("the model's operations: %v, %v", model.Operations, err)
	}
	for _, row := range []struct {
		path, body, says string
		status           int
	}{
		{"/v1/rerank", `{"model":"rank","documents":["a"]}`, "query: the field is missing", http.StatusBadRequest},
		{"/v1/chat/completions", `{"model":"rank","messages":[{"role":"user","content":"a"}]}`, "OperationUnknown",
			http.StatusNotFound},
	} {
		if status, text := post(row.path, row.body); status != row.status || !strings.Contains(text, row.says) {
			t.Errorf("%s %s: %d %s", row.path, row.body, status, text)
		}
	}
}
