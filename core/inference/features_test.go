package inference_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core/inference"
)

var someFeatures = rapid.Custom(func(t *rapid.T) inference.Features {
	has := inference.FeatureSet(rapid.Uint16Range(0, 1<<inference.MaxFeatures-1).Draw(t, "has"))
	return inference.Features{Has: has,
		Lacks: inference.FeatureSet(rapid.Uint16Range(0, 1<<inference.MaxFeatures-1).Draw(t, "lacks")) &^ has}
})

// However features are combined, none is both there and lacking, and nothing is made up.
func TestFeatureProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := someFeatures.Draw(t, "a"), someFeatures.Draw(t, "b")
		for name, got := range map[string]inference.Features{"or": a.Or(b), "both": a.Both(b), "any": a.Any(b),
			"words": inference.ReadFeatures(a.Has.Words(), b.Lacks.Words())} {
			if got.Has&got.Lacks != 0 {
				t.Fatalf("%s of %v and %v: %v has and lacks the same", name, a, b, got)
			}
			if got.Has&^(a.Has|b.Has) != 0 || got.Lacks&^(a.Lacks|b.Lacks) != 0 {
				t.Fatalf("%s of %v and %v: %v", name, a, b, got)
			}
		}
		if got := a.Or(b); got.Has&a.Lacks != 0 || got.Lacks&a.Has != 0 || a.Has&^got.Has != 0 {
			t.Fatalf("%v or %v: %v, but the first comes first", a, b, got)
		}
		if a.Both(b) != b.Both(a) || a.Any(b) != b.Any(a) || a.Both(a) != a || a.Any(a) != a {
			t.Fatalf("%v and %v depend on their order", a, b)
		}
		if got := inference.FeaturesNamed(a.Has.Words()); got != a.Has {
			t.Fatalf("%v reads back as %v", a.Has.Words(), got)
		}
	})
}

func TestReadFeatures(t *testing.T) {
	t.Parallel()
	many := slices.Repeat([]string{"later"}, 40)
	for _, tt := range []struct {
		has, lacks []string
		want       inference.Features
	}{
		{nil, nil, inference.Features{}},
		{[]string{"tools", "later", "vision"}, []string{"audio"},
			inference.Features{Has: inference.Tools | inference.Vision, Lacks: inference.AudioInput}},
		{[]string{"tools"}, []string{"tools", "logprobs"}, inference.Features{Lacks: inference.Logprobs}},
		{[]string{"chat", "embedding"}, []string{"chat"}, inference.Features{}},
		{append(many, "tools"), nil, inference.Features{}},
	} {
		if got := inference.ReadFeatures(tt.has, tt.lacks); got != tt.want {
			t.Errorf("%q, %q: %v, want %v", tt.has, tt.lacks, got, tt.want)
		}
	}
	embeds := inference.Features{}.WithOperations([]inference.Operation{inference.Embedding})
	if got := strings.Join(embeds.Lacks.Words(), " "); got != "chat completion rerank" {
		t.Errorf("a model that embeds lacks %s", got)
	}
	if got := (inference.Features{}).WithOperations(nil); got != (inference.Features{}) {
		t.Errorf("without operations: %v", got)
	}
}

// What model servers say when they cannot do something, and when the request is wrong in itself.
func TestNamedUnable(t *testing.T) {
	t.Parallel()
	needs := inference.Needs{Tokens: 9000,
		Features: inference.Parameters | inference.OperationFeature(inference.Embedding)}
	for text, want := range map[string]string{
		`{"error":{"message":"registry.ollama.ai/library/gemma:2b does not support tools"}}`:             "tools",
		`"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`:         "tools",
		`{"error":{"code":500,"message":"tools param is not supported without jinja"}}`:                  "tools",
		`At most 0 image(s) may be provided in one prompt.`:                                              "vision",
		`At most 2 image(s) may be provided in one prompt.`:                                              "",
		`m is not a multimodal model`:                                                                    "vision",
		`image input is not supported - hint: if this is unexpected, you may need to provide the mmproj`: "vision",
		`audio input is not supported`:                                                                   "audio",
		`response_format of type json_schema is unsupported`:                                             "json_schema",
		`Logprobs are not supported by this server`:                                                      "logprobs",
		`the model does not support embeddings`:                                                          "embedding",
		`tools[0].function.name: field required`:                                                         "",
		`image_url: the picture cannot be read`:                                                          "",
		`logprobs is not supported with tools + stream`:                                                  "",
		`max_tokens is not supported`:                                                                    "",
		``:                                                                                               "",
		`This model's maximum context length is 8192 tokens. However, you requested 9000 tokens`: "" +
			"context 8192",
		`{"error":{"code":400,"type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}`: "" +
			"context 4096",
		`request (9412 tokens) exceeds the available context size (8192 tokens), try increasing it`: "" +
			"context 8192",
		`The prompt (total length 9000) is too long: maximum model length of 2048`: "" +
			"context 2048",
		`{"error":{"code":"context_length_exceeded","message":"too long; tools are unsupported beyond that"}}`: "context 0",
		`maximum context length is 99999999999999999999999 tokens`: "" +
			"context 999999999999",
		strings.Repeat(" ", 64<<10) + `does not support tools`: "",
	} {
		named, stated, ok := inference.NamedUnable([]byte(text), needs)
		got := strings.Join(named.Words(), " ")
		if named.Tokens > 0 {
			got = strings.TrimSpace(got + " " + itoa(stated))
		}
		if !ok {
			got = ""
		}
		if got != want {
			t.Errorf("%.90s: %q, want %q", text, got, want)
		}
		if _, _, ok := inference.NamedUnable([]byte(text), inference.Needs{}); ok {
			t.Errorf("%.90s names what the request does not need", text)
		}
	}
}

func itoa(n inference.Tokens) string { return strconv.FormatInt(int64(n), 10) }
