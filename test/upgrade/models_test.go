package upgrade

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
)

// quickModel is a model server that answers with one word.
func quickModel(t *testing.T, id string) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/models", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"`+id+`","object":"model"}]}`)
	})
	mux.HandleFunc("/v1/chat/completions", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"1","object":"chat.completion",`+
			`"model":"`+id+`","choices":[{"index":0,"message":{"role":"assistant","content":"one"},"finish_reason":"stop"}],`+
			`"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// modelsFile writes the node's aiModels.json: URLs by model ID.
func (n *node) modelsFile(urls map[string]string) {
	n.t.Helper()
	entries := []map[string]any{}
	for id, url := range urls {
		entries = append(entries, map[string]any{"pipeline": "llm", "model_id": id, "warm": true, "price_per_unit": 0,
			"pixels_per_unit": 1000000, "url": url, "capacity": 4})
	}
	text, err := json.Marshal(entries)
	if err != nil {
		n.t.Fatal(err)
	}
	writeFile(n.t, filepath.Join(n.dir, "aiModels.json"), text, 0o600)
}

// modelStates are the states of the node's models by ID.
func (n *node) modelStates() map[string]string {
	n.t.Helper()
	var list struct {
		Models []struct{ Model, State string } `json:"models"`
	}
	n.read(adminapi.Prefix+"/models", &list)
	out := map[string]string{}
	for _, m := range list.Models {
		out[m.Model] = m.State
	}
	return out
}

func (n *node) reloadModels() {
	n.t.Helper()
	var out adminapi.Reloaded
	if err := n.change(adminapi.PathReload, nil, &out); err != nil || len(out.Changes) != 1 ||
		out.Changes[0].Option != "aiModels" || out.Changes[0].State != adminapi.ReloadApplied {
		n.t.Fatalf("reload: %v %+v", err, out)
	}
}

// TestReloadModels: entries of aiModels.json come and go while the node runs. A job of an
// entry that stays is not touched, one of an entry that goes ends by itself, and a file
// with a mistake changes nothing.
func TestReloadModels(t *testing.T) {
	t.Parallel()
	slow, quick := slowModel(t), quickModel(t, "n")
	n := start(t, slow)
	gw := n.gateway()
	within(t, 20*time.Second, "model m", func() bool { return n.modelStates()["m"] == "ready" })

	var l load
	begun := make(chan struct{})
	l.chat(gw, begun)
	<-begun
	n.modelsFile(map[string]string{"m": slow, "n": quick})
	n.reloadModels()
	within(t, 20*time.Second, "the added model", func() bool { return n.modelStates()["n"] == "ready" })

	writeFile(t, filepath.Join(n.dir, "aiModels.json"), []byte(`[{"pipeline": "llm"}]`), 0o600)
	var out adminapi.Reloaded
	if err := n.change(adminapi.PathReload, nil, &out); err == nil || !strings.Contains(err.Error(), "model_id") {
		t.Errorf("a file with a mistake was taken over: %v %+v", err, out)
	}
	if states := n.modelStates(); states["m"] != "ready" || states["n"] != "ready" {
		t.Errorf("after a mistake: %v", states)
	}

	begun = make(chan struct{})
	l.chat(gw, begun)
	<-begun
	n.modelsFile(map[string]string{"n": quick})
	n.reloadModels()
	within(t, 20*time.Second, "the removed model to be gone",
		func() bool { _, there := n.modelStates()["m"]; return !there })
	l.settle(t, 2)
}
