package pipeline_test

import (
	"encoding/json"
	"testing"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
)

func TestRewrite(t *testing.T) {
	t.Parallel()
	fields := map[string]json.RawMessage{"seed": json.RawMessage("1"), "stop": json.RawMessage(`["x"]`)}
	for _, tt := range []struct{ body, want string }{
		{`{"model":"a","messages":[ {"role":"user"} ]}`,
			`{"model":"b\"c","messages":[ {"role":"user"} ],"seed":1,"stop":["x"]}`},
		{` { "seed" : 7 , "mod\u0065l":"a", "stop":null,"models":["q"], "\u0078":[1.50] } `,
			`{"model":"b\"c","seed":7,"\u0078":[1.50],"stop":["x"]}`},
		{`{"model":"a","seed":null,"stop":"."}`, `{"model":"b\"c","stop":".","seed":1}`},
	} {
		if got := string(pipeline.Rewrite([]byte(tt.body), `b"c`, fields, "models")); got != tt.want {
			t.Errorf("%s\nbecomes %s\nwant    %s", tt.body, got, tt.want)
		}
	}
}

// FuzzRewrite rewrites requests: the result is the same request for another model, no longer than
// stated.
func FuzzRewrite(f *testing.F) {
	f.Add([]byte(`{"model":"a","messages":[{"role":"user","content":"hi"}],"models":["x"],`+
		`"tools":[{"a":1}],"seed":null}`), "b")
	f.Add([]byte(` {"mod\u0065l":"a","messages":[{"role":"user","content":"\ud83d\ude00"}], "stream":true}`), "<\x01>")
	fields := map[string]json.RawMessage{"seed": json.RawMessage("1")}
	f.Fuzz(func(t *testing.T, body []byte, model string) {
		before, err := pipeline.Decode(capability.LLM, inference.Chat, "application/json", body)
		if err != nil || model == "" || len(model) > 200 {
			return
		}
		out := pipeline.Rewrite(body, model, fields, "models")
		if len(out) > len(body)+pipeline.RewriteGrowth(model, fields) {
			t.Errorf("%d bytes became %d", len(body), len(out))
		}
		after, err := pipeline.Decode(capability.LLM, inference.Chat, "application/json", out)
		if err != nil {
			t.Fatalf("%s became %s: %v", body, out, err)
		}
		var was, is map[string]any
		if json.Unmarshal(body, &was) != nil || json.Unmarshal(out, &is) != nil {
			t.Fatalf("%s became %s", body, out)
		}
		if after.Models != nil || is["seed"] == nil || after.PromptBytes != before.PromptBytes ||
			after.MaxTokens != before.MaxTokens || after.Stream != before.Stream || after.N != before.N {
			t.Errorf("%s became %s", body, out)
		}
	})
}
