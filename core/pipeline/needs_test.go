package pipeline_test

import (
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
)

// A request needs what its fields and the parts of its messages ask for, and no more.
func TestNeeds(t *testing.T) {
	t.Parallel()
	const part = `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"abcd"},%]}]}`
	for _, tt := range []struct {
		op         inference.Operation
		body, want string
		tokens     inference.Tokens
	}{
		{inference.Chat, `{"model":"m",` + user + `}`, "chat context", 2},
		{inference.Chat, `{"model":"m","max_tokens":100,` + user + `}`, "chat context", 102},
		{inference.Chat, `{"model":"m","tools":[{"type":"function"}],` + user + `}`, "chat tools context", 7},
		{inference.Chat, `{"model":"m","functions":[{"name":"f"}],` + user + `}`, "chat tools context", 5},
		{inference.Chat, `{"model":"m","tools":[],"logprobs":false,"response_format":null,` + user + `}`,
			"chat context", 4},
		{inference.Chat, `{"model":"m","logprobs":true,` + user + `}`, "chat logprobs context", 3},
		{inference.Chat, `{"model":"m","response_format":{"type":"json_schema","json_schema":{}},` + user + `}`,
			"chat json_schema context", 11},
		{inference.Chat, `{"model":"m","response_format":{"type":"json_object"},` + user + `}`, "chat context", 7},
		{inference.Chat, strings.Replace(part, "%", `{"type":"image_url","image_url":{"url":"data:"}}`, 1),
			"chat vision context", 1025},
		{inference.Chat, strings.Replace(part, "%", `{"type":"input_audio","input_audio":{}}`, 1),
			"chat audio context", 1025},
		{inference.Completion, `{"model":"m","prompt":"abcd","logprobs":5,"max_tokens":9}`,
			"completion logprobs context", 11},
		{inference.Completion, `{"model":"m","prompt":["abcd","efgh"]}`, "completion", 0},
		{inference.Embedding, `{"model":"m","input":"abcd"}`, "embedding", 0},
		{inference.Rerank, `{"model":"m","query":"a","documents":["b"]}`, "rerank", 0},
	} {
		r, err := pipeline.Decode(capability.LLM, tt.op, "application/json", []byte(tt.body))
		if err != nil {
			t.Fatal(tt.body, err)
		}
		n := r.Job("application/json", []byte(tt.body), "").Needs
		if got := strings.Join(n.Words(), " "); got != tt.want || n.Tokens != tt.tokens {
			t.Errorf("%s needs %s, %d tokens; want %s, %d", tt.body, got, n.Tokens, tt.want, tt.tokens)
		}
	}
}
