package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tuttinode/tutti/test/pipelines"
)

// listener is a model server that keeps the last chat it got.
type listener struct {
	url  string
	chat atomic.Value // string
}

func startListener(t *testing.T) *listener {
	t.Helper()
	l := &listener{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"object":"list","data":[{"id":%q,"object":"model","owned_by":"test"}]}`, scriptedID)
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		l.chat.Store(string(body))
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"c","object":"chat.completion","created":1,"model":%q,"choices":[{"index":0,
			"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}],
			"usage":{"prompt_tokens":5,"completion_tokens":1,"total_tokens":6}}`, scriptedID)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	l.url = server.URL
	return l
}

// parts returns the content of the last message as the model server got it.
func (l *listener) parts(t *testing.T) string {
	t.Helper()
	var chat struct {
		Messages []struct{ Content json.RawMessage }
	}
	text, _ := l.chat.Load().(string)
	if err := json.Unmarshal([]byte(text), &chat); err != nil || len(chat.Messages) == 0 {
		t.Fatalf("%v: %.200s", err, text)
	}
	return string(chat.Messages[len(chat.Messages)-1].Content)
}

// TestMediaInChats: pictures, sounds and files in a chat reach the model's server as they are, through all of the
// gateway's APIs and over the wire, in bodies of 24 MiB too.
func TestMediaInChats(t *testing.T) {
	t.Parallel()
	l := startListener(t)
	node, orch := aiOrchestrator(t, []entry{llmEntry(scriptedID, l.url)})
	awaitModel(t, node, orch, scriptedID, "ready")
	_, gw := gateway(t, orch)
	big := base64.StdEncoding.EncodeToString(make([]byte, 18<<20)) // 24 MiB of text
	png := base64.StdEncoding.EncodeToString(pipelines.PNG(8, 8, 1))
	const small = "AAAA"
	picture := func(data string) string {
		return `{"type":"image_url","image_url":{"url":"data:image/png;base64,` + data
	}
	for name, row := range map[string]struct{ path, body, want string }{
		"a picture in a chat": {"/v1/chat/completions", `{"model":%q,"max_tokens":5,"messages":[{"role":"user","content":[` +
			picture(big) + `"}}]}]}`, picture(big)},
		"a picture for the network's address": {"/llm", `{"model":%q,"max_tokens":5,"messages":[{"role":"user","content":[` +
			picture(small) + `"}}]}]}`, picture(small)},
		"a sound in a chat": {"/v1/chat/completions", `{"model":%q,"max_tokens":5,"messages":[{"role":"user","content":[
			{"type":"input_audio","input_audio":{"data":"` + small + `","format":"wav"}}]}]}`,
			`{"type":"input_audio","input_audio":{"data":"` + small + `","format":"wav"}}`},
		"a PDF in a chat": {"/v1/chat/completions", `{"model":%q,"max_tokens":5,"messages":[{"role":"user","content":[
			{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,` + small + `"}}]}]}`,
			`"file_data":"data:application/pdf;base64,` + small + `"`},
		"a picture in a response": {"/v1/responses", `{"model":%q,"max_output_tokens":5,"input":[{"role":"user","content":[
			{"type":"input_image","image_url":"data:image/png;base64,` + big + `"}]}]}`, "data:image/png;base64," + big},
		"a sound in a response": {"/v1/responses", `{"model":%q,"max_output_tokens":5,"input":[{"role":"user","content":[
			{"type":"input_audio","input_audio":{"data":"` + small + `","format":"mp3"}}]}]}`,
			`{"type":"input_audio","input_audio":{"data":"` + small + `","format":"mp3"}}`},
		"a PDF in a response": {"/v1/responses", `{"model":%q,"max_output_tokens":5,"input":[{"role":"user","content":[
			{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,` + small + `"}]}]}`,
			`"file_data":"data:application/pdf;base64,` + small + `"`},
		"a picture in a message": {"/v1/messages", `{"model":%q,"max_tokens":5,"messages":[{"role":"user","content":[
			{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + big + `"}}]}]}`,
			"data:image/png;base64," + big},
		"a PDF in a message": {"/v1/messages", `{"model":%q,"max_tokens":5,"messages":[{"role":"user","content":[
			{"type":"document","title":"a.pdf","source":{"type":"base64","media_type":"application/pdf","data":"` + small +
			`"}}]}]}`, `{"filename":"a.pdf","file_data":"data:application/pdf;base64,` + small + `"}`},
		"a picture for Ollama": {"/api/chat", `{"model":%q,"stream":false,"messages":[{"role":"user","content":"x",
			"images":["` + png + `"]}]}`, png},
	} {
		res, body := sent(t, gw+row.path, "application/json", fmt.Appendf(nil, row.body, scriptedID))
		if got := l.parts(t); res.StatusCode != http.StatusOK || !strings.Contains(got, row.want) {
			t.Errorf("%s: %s %.200s: the server got %d bytes, %.100s", name, res.Status, body, len(got), got)
		}
	}
}

// TestABodyLimit: the operators' own limit holds on the gateway and on the orchestrator, for each API.
func TestABodyLimit(t *testing.T) {
	t.Parallel()
	l := startListener(t)
	node, orch := aiOrchestrator(t, []entry{llmEntry(scriptedID, l.url)}, "-aiBodyLimit", "1MiB")
	awaitModel(t, node, orch, scriptedID, "ready")
	_, small := gateway(t, orch, "-aiBodyLimit", "2MiB")
	ask := func(bytes int) string {
		return fmt.Sprintf(`{"model":%q,"max_tokens":5,"messages":[{"role":"user","content":%q}]}`, scriptedID,
			strings.Repeat("x", bytes))
	}
	for name, row := range map[string]struct {
		path  string
		bytes int
		want  int
		text  string
	}{
		"within both":           {"/v1/chat/completions", 1 << 19, http.StatusOK, "yes"},
		"above the gateway's":   {"/v1/chat/completions", 2 << 20, http.StatusRequestEntityTooLarge, "2 MiB"},
		"above it, Anthropic's": {"/v1/messages", 2 << 20, http.StatusRequestEntityTooLarge, "limit"},
		"above the orchestrator": {"/v1/chat/completions", 1 << 20, http.StatusRequestEntityTooLarge,
			"orchestrator's limit of 1 MiB"},
	} {
		res, body := sent(t, small+row.path, "application/json", []byte(ask(row.bytes)))
		if res.StatusCode != row.want || !strings.Contains(string(body), row.text) {
			t.Errorf("%s: %s %.200s", name, res.Status, body)
		}
	}
}
