package models_test

import (
	"strings"
	"testing"

	"github.com/tuttinode/tutti/ai/models"
)

// What a model's own description says decides over how many devices it can be
// spread; where it says nothing that is reported and nothing is refused.
func TestModelsOwnDescription(t *testing.T) {
	t.Parallel()
	const (
		dir   = "/models/models--acme--own/"
		spare = "whether the model can be spread over 3 devices was not checked: "
	)
	for _, c := range []struct {
		name            string
		content         map[string]string
		problem, notice string
	}{
		{"absent", nil, "", spare + "it is not in the models directory yet"},
		{"no snapshot", map[string]string{"refs/main": "../../x"}, "",
			spare + "refs/main in the models directory names no snapshot"},
		{"no description", map[string]string{"refs/main": "abc"}, "",
			spare + "it has no config.json in the models directory yet"},
		{"not JSON", map[string]string{"refs/main": "abc", "snapshots/abc/config.json": "x"}, "",
			spare + "its config.json does not tell its attention heads and layers"},
		{"wrong types", map[string]string{"refs/main": "abc",
			"snapshots/abc/config.json": `{"num_attention_heads": "many", "num_hidden_layers": -1, "text_config": 7}`}, "",
			spare + "its config.json does not tell its attention heads and layers"},
		{"fits", map[string]string{"refs/main": "abc\n",
			"snapshots/abc/config.json": `{"num_attention_heads": 33, "num_hidden_layers": 1}`}, "", ""},
		{"layers only", map[string]string{"refs/main": "abc",
			"snapshots/abc/config.json": `{"num_attention_heads": {}, "num_hidden_layers": 1}`}, "", ""},
		{"heads", map[string]string{"refs/main": "abc", "snapshots/abc/config.json": `{"num_attention_heads": 40}`},
			"3 does not divide the model's 40 attention heads; write 1, 2, 4, 5 or 8", ""},
		{"language part", map[string]string{"refs/main": "abc",
			"snapshots/abc/config.json": `{"num_attention_heads": 3, "text_config": {"num_attention_heads": 7}}`},
			"3 does not divide the model's 7 attention heads; write 1 or 7", ""},
	} {
		content := map[string]string{
			"m.json": `[{"pipeline": "llm", "model_id": "acme/own", "warm": true, "optimization_flags": ` +
				`{"TENSOR_PARALLEL_SIZE": 3}}]`,
		}
		for name, text := range c.content {
			content[dir+name] = text
		}
		_, notices, err := models.Load(models.Options{Value: "m.json", ReadFile: files(content), ModelsDir: "/models",
			AllowUnverified: true, Offchain: true, Devices: devices(t, "80*3")})
		problem := strings.TrimPrefix(strings.Join(problemLines(err), "|"),
			"m.json:1: optimization_flags.TENSOR_PARALLEL_SIZE: ")
		problem, _, _ = strings.Cut(problem, "|")
		if problem != c.problem {
			t.Errorf("%s: %q, want %q", c.name, problem, c.problem)
		}
		set := ""
		for _, n := range notices {
			if n.Field == "optimization_flags" {
				set = n.Text
			}
		}
		if set != c.notice {
			t.Errorf("%s: the notice is %q, want %q", c.name, set, c.notice)
		}
	}
}
