package pipeline_test

import (
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
)

// Whatever a model may read counts, wherever in the request it stands.
func TestInputTokens(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("word", 1000)
	for name, body := range map[string]string{
		"message": `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"` + text + `"}]}`,
		"parts": `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"text","text":"` + text +
			`","x":1}]}]}`,
		"unknown": `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"y","z":"` + text +
			`"}]}]}`,
		"name":  `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x","name":"` + text + `"}]}`,
		"tools": `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"}],"tools":[{"x":"` + text + `"}]}`,
		"picture": `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"image_url",` +
			`"image_url":{"url":"` + text + text + `"}}]}]}`,
	} {
		r, err := pipeline.Parse(capability.LLM, inference.Chat, "application/json", []byte(body), nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.InputTokens < 1000 || r.InputTokens > 1030 {
			t.Errorf("%s: %d tokens", name, r.InputTokens)
		}
	}
}

// TestPartsWithPictures: a part counts as a picture for its pictures alone, however its names are written, and a
// role is text for the model too.
func TestPartsWithPictures(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word", 100_000)
	for name, message := range map[string]string{
		"a text with escapes": `{"role":"user","content":[{"x":"image_url","type":"tex\u0074","tex\u0074":"` + long + `"}]}`,
		"a refusal":           `{"role":"user","content":[{"image_url":null,"type":"refusal","refusal":"` + long + `"}]}`,
		"a thought":           `{"role":"user","content":[{"x":"input_audio","type":"thinking","thinking":"` + long + `"}]}`,
		"a role":              `{"role":"user` + long + `","content":"x"}`,
	} {
		r, err := pipeline.Parse(capability.LLM, inference.Chat, "application/json",
			[]byte(`{"model":"m","max_tokens":1,"messages":[`+message+`]}`), nil)
		if err != nil || r.InputTokens < 100_000 {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

// TestInputsOfARequest: a request with very many texts, each next to nothing and so priced at
// next to nothing, is refused by name; usual batches pass.
func TestInputsOfARequest(t *testing.T) {
	t.Parallel()
	list := func(field, part string, n int) []byte {
		return []byte(`{"model":"m","` + field + `":[` + strings.TrimSuffix(strings.Repeat(part+",", n), ",") + `]}`)
	}
	for _, row := range []struct {
		op    inference.Operation
		field string
	}{{inference.Embedding, "input"}, {inference.Completion, "prompt"}} {
		for _, part := range []string{`""`, `"a"`, `[]`, `[7]`} {
			r, err := pipeline.Decode(capability.LLM, row.op, "", list(row.field, part, 2048))
			if err != nil || row.op == inference.Embedding && r.Inputs != 2048 {
				t.Errorf("%s: 2048 times %s: %+v, %v", row.op, part, r, err)
			}
			_, err = pipeline.Decode(capability.LLM, row.op, "", list(row.field, part, 2049))
			if fault.CodeOf(err) != fault.JobUnreadable || !strings.Contains(err.Error(), "2048 texts") {
				t.Errorf("%s: 2049 times %s: %v", row.op, part, err)
			}
		}
		// The numbers of one text's tokens are no texts.
		if _, err := pipeline.Decode(capability.LLM, row.op, "", list(row.field, "7", 5000)); err != nil {
			t.Errorf("%s: %v", row.op, err)
		}
	}
}

// TestInstructionsOfInputs: what some model servers read with each text that they embed or rank (an instruction) counts
// with each; short settings and the client's own labels do not count.
func TestInstructionsOfInputs(t *testing.T) {
	t.Parallel()
	texts, long := strings.Repeat(`"abcd",`, 99)+`"abcd"`, strings.Repeat("word", 10_000)
	for _, row := range []struct {
		op          inference.Operation
		input, more string
		least, most inference.Units
	}{
		{inference.Rerank, `"query":"abcd","documents":`, `"return_documents":true,"top_n":5`, 200, 200},
		{inference.Rerank, `"query":"abcd","documents":`, `"metadata":{"note":"` + long + `"}`, 200, 200},
		{inference.Rerank, `"query":"abcd","documents":`, `"instruct":"` + long + `"`, 1_000_000, 1_000_300},
		{inference.Rerank, `"query":"abcd","documents":`, `"chat_template_kwargs":{"instruction":"` + long + `"}`, 1_000_000,
			1_001_000},
		{inference.Embedding, `"input":`, `"encoding_format":"float","dimensions":64,"user":"` + long + `"`, 100, 100},
		{inference.Embedding, `"input":`, `"instruction":"` + long + `"`, 1_000_000, 1_000_300},
	} {
		body := `{"model":"m",` + row.input + `[` + texts + `],` + row.more + `}`
		r, err := pipeline.Parse(capability.LLM, row.op, "application/json", []byte(body), nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Units < row.least || r.Units > row.most {
			t.Errorf("%s with %.40s: %d units", row.op, row.more, r.Units)
		}
	}
}

// TestInputHasOneName: what a model server may read in place of the input, by which embeddings are
// priced, or of the prompts, by whose number completions are, is refused.
func TestInputHasOneName(t *testing.T) {
	t.Parallel()
	for body, op := range map[string]inference.Operation{
		`{"model":"m","input":"x","Input":["a","b"]}`:                             inference.Embedding,
		`{"model":"m","\u0049nput":"x","input":"x"}`:                              inference.Embedding,
		`{"model":"m","input":"x","messages":[{"role":"user","content":"long"}]}`: inference.Embedding,
		`{"model":"m","input":"x","prompt":"long"}`:                               inference.Embedding,
		`{"model":"m","prompt":"x","PROMPT":["a","b"]}`:                           inference.Completion,
		`{"model":"m","query":"x","documents":["a"],"Documents":["a","b"]}`:       inference.Rerank,
		`{"model":"m","query":"x","documents":["a"],"QUERY":"long"}`:              inference.Rerank,
		`{"model":"m","messages":[{"role":"user","content":"x"}],"Messages":[]}`:  inference.Chat,
	} {
		if _, err := pipeline.Decode(capability.LLM, op, "", []byte(body)); fault.CodeOf(err) != fault.JobUnreadable {
			t.Errorf("%s: %v", body, err)
		}
	}
	for body, op := range map[string]inference.Operation{
		`{"model":"m","input":"x","encoding_format":"base64","user":"u"}`:                inference.Embedding,
		`{"model":"m","messages":[{"role":"user","content":"x"}],"prompt":"","input":1}`: inference.Chat,
	} {
		if _, err := pipeline.Decode(capability.LLM, op, "", []byte(body)); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
}
