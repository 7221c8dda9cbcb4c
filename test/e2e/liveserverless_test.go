package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/tuttinode/tutti/test/harness"
)

// A node with -aiServerless begins a session at its runner with the operator's key, moves segments between the client
// and the runner, ends the session when its time is over, and shows the key nowhere.
func TestServerlessLiveVideo(t *testing.T) {
	t.Parallel()
	const key = "fal-secret-key"
	var ended atomic.Int32
	channels := make(chan string, 1)
	runner := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := new(websocket.Upgrader).Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer ended.Add(1)
		defer ws.Close()
		if got := r.Header.Get("Authorization"); got != "Key "+key {
			t.Errorf("the runner got the key %q", got)
		}
		say := func(text string) {
			if err := ws.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
				t.Error(err)
			}
		}
		say(`{"type":"ready"}`)
		if _, _, err := ws.ReadMessage(); err != nil {
			t.Error(err)
		}
		say(`{"type":"started"}`)
		say(`{"type":"create_channels","request_id":"a","direction":"in"}`)
		_, data, err := ws.ReadMessage()
		if err != nil {
			t.Error(err)
		}
		channels <- string(data)
		for err == nil {
			_, _, err = ws.ReadMessage()
		}
	}))
	t.Cleanup(runner.Close)
	models := filepath.Join(t.TempDir(), "aiModels.json")
	if err := os.WriteFile(models, []byte(`[{"pipeline": "live-video-to-video", "model_id": "scope", "warm": true,
		"url": "ws`+strings.TrimPrefix(runner.URL, "http")+`/ws", "capacity": 1}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	addr, admin := harness.Address(t), harness.Address(t)
	node := harness.StartIn(t, binary, []string{"FAL_API_KEY=" + key, "LIVE_AI_SERVERLESS_TIMEOUT=4s",
		"LIVE_AI_SERVERLESS_GRACE_PERIOD=1ms"}, "-orchestrator", "-aiWorker", "-aiServerless", "-aiModels", models,
		"-serviceAddr", addr, "-cliAddr", admin, "-dataDir", t.TempDir())
	node.WaitHTTP("https://" + addr + "/healthz")
	if status, text := send(t, "GET", "https://"+addr+"/discovery", ""); status != http.StatusOK ||
		!strings.Contains(text, `"app":"live-video-to-video/scope"`) {
		t.Fatal(status, text)
	}
	status, text := send(t, "POST", "https://"+addr+"/scope", `{"params":{"prompt":"x"}}`)
	if status != http.StatusOK {
		t.Fatal(status, text)
	}
	var made struct {
		Channels []struct{ URL string }
	}
	if err := json.Unmarshal([]byte(<-channels), &made); err != nil || len(made.Channels) != 1 {
		t.Fatal(made, err)
	}
	if status, text := send(t, "POST", made.Channels[0].URL+"/0", "segment"); status != http.StatusOK {
		t.Error(status, text)
	}
	if status, text := send(t, "GET", made.Channels[0].URL+"/0", ""); status != http.StatusOK || text != "segment" {
		t.Error(status, text)
	}
	node.Wait("the end of the session's time", 20*time.Second, func() bool { return ended.Load() == 1 })
	node.Wait("a free slot", 10*time.Second, func() bool {
		_, text := send(t, "GET", "https://"+addr+"/discovery", "")
		return strings.Contains(text, `"capacity_available":1`)
	})
	if strings.Contains(node.Log(), key) {
		t.Error("the log has the runner's key")
	}
}
