package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// The list of models says what a client needs to know of each, and answers name the model
// that was asked for: the server of this one calls it by the path of its file.
func TestListedModelsAndTheirNames(t *testing.T) {
	t.Parallel()
	const asked, path = "org/asked", "/srv/models/asked-q4.gguf"
	s := canned(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), `"stream":true`) {
			w.Header().Set("Content-Type", "text/event-stream")
			event := strings.Replace(cannedEvent, cannedModel, path, 1)
			_, _ = io.WriteString(w, strings.Repeat(event, 3)+"data: [DONE]\n\n")
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"1","object":"chat.completion","created":1,"model":"`+path+
			`","choices":[{"index":0,"message":{"role":"assistant","content":"word"},"finish_reason":"stop"}]}`)
	})
	began := time.Now()
	node, orch := aiOrchestrator(t, []entry{llmEntry(asked, s.URL)})
	awaitModel(t, node, orch, asked, "ready")
	_, gw := gateway(t, orch)

	res, err := http.Get(gw + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var list struct {
		Data []struct {
			ID         string
			Created    int64
			Context    int64 `json:"context_length"`
			Operations []string
		}
	}
	if err := json.NewDecoder(res.Body).Decode(&list); err != nil || len(list.Data) != 1 {
		t.Fatalf("%+v %v", list, err)
	}
	m := list.Data[0]
	if m.ID != asked || m.Context != 4096 || len(m.Operations) == 0 || m.Operations[0] != "chat" ||
		m.Created < began.Add(-time.Minute).Unix() || m.Created > time.Now().Unix() {
		t.Errorf("the list says %+v", m)
	}
	for _, stream := range []bool{false, true} {
		res, err := post(t.Context(), gw+"/v1/chat/completions", "", chatRequest(asked, 5, stream))
		if err != nil {
			t.Fatal(err)
		}
		body := string(readAll(t, res))
		if res.StatusCode != http.StatusOK || strings.Contains(body, "gguf") ||
			!strings.Contains(body, `"model":"`+asked+`"`) {
			t.Errorf("stream %v: %d %s", stream, res.StatusCode, body)
		}
	}
}
