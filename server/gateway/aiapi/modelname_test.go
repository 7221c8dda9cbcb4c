package aiapi_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/inference"
)

// Servers call their model by a name of their own, which may be the path of a file. Clients
// get the name that they asked for.
func TestAnswersNameTheModelThatWasAskedFor(t *testing.T) {
	t.Parallel()
	const path = `"model":"/srv/models/llama-3-q4.gguf"`
	long := strings.Repeat("0.25,", 20000) + "0.5"
	for name, tt := range map[string]struct{ address, body, answer string }{
		"chat":          {"/v1/chat/completions", chatBody, strings.Replace(chatAnswer, `"id":"c"`, `"id":"c",`+path, 1)},
		"behind":        {"/llm", chatBody, chatAnswer[:len(chatAnswer)-1] + "," + path + "}"},
		"a stream":      {"/v1/chat/completions", usageBody, ""},
		"usage, hidden": {"/v1/chat/completions", streamBody, ""},
		"embeddings": {"/v1/embeddings", `{"model":"m/llama","input":"x"}`, `{` + path + `,"data":[{"embedding":[` +
			long + `]}]}`},
		"embeddings, behind": {
			"/v1/embeddings", `{"model":"m/llama","input":"x"}`, `{"data":[{"embedding":[` + long + `]}],` + path + `}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := start(t, nil).serve()
			n.broker.answer = says(tt.answer)
			if tt.answer == "" {
				var parts []string
				for _, e := range []string{event1, event2, lastEvent, usage} {
					parts = append(parts, strings.Replace(e, `"choices":`, path+`,"choices":`, 1))
				}
				n.broker.answer = streams(io.EOF, append(parts, done)...)
			}
			g := n.post(tt.address, tt.body)
			if g.status != http.StatusOK || g.err != nil {
				t.Fatalf("%d %v %.200s", g.status, g.err, g.body)
			}
			if strings.Contains(g.body, "gguf") || !strings.Contains(g.body, `"model":"m/llama"`) {
				t.Errorf("the answer names another model: %.300s … %.100s", g.body, g.body[max(0, len(g.body)-100):])
			}
			if tt.answer == "" {
				return
			}
			if !json.Valid([]byte(g.body)) {
				t.Error("the answer is no JSON any more")
			}
			if length := g.header.Get("Content-Length"); length != "" && length != strconv.Itoa(len(g.body)) {
				t.Errorf("Content-Length %s of %d bytes", length, len(g.body))
			}
		})
	}
	n := start(t, nil).serve()
	right := strings.Replace(chatAnswer, `"id":"c"`, `"id":"c", "model" : "m/llama"`, 1)
	n.broker.answer = says(right)
	n.post("/llm", chatBody).want(t, http.StatusOK, right)
	if job, _ := n.broker.last(t); job.Operation != inference.Chat {
		t.Error(job.Operation)
	}
}
