package pipeline_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
)

func wantCode(t *testing.T, err error, want fault.Code) {
	t.Helper()
	if fault.CodeOf(err) != want || err == nil {
		t.Fatalf("got %v, want %s", err, want)
	}
}

const user = `"messages":[{"role":"user","content":"hello"}]`

func TestLLMRefusals(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 200) + strings.Repeat("]", 200)
	for name, tc := range map[string]struct {
		body, text string
		op         inference.Operation
	}{
		"empty":          {"", "an object was expected at byte 0", ""},
		"a list":         {"[]", "an object was expected at byte 0", ""},
		"cut":            {`{"model":"m"`, "a comma or the object's end was expected at byte 12", ""},
		"text behind":    {`{"model":"m",` + user + `} x`, "text after the end of the JSON value at byte 61", ""},
		"two objects":    {`{"model":"m",` + user + `}{}`, "text after the end of the JSON value at byte 60", ""},
		"trailing comma": {`{"model":"m",}`, "a field's name was expected at byte 13", ""},
		"model twice":    {`{"model":"m","model":"n",` + user + `}`, `the field "model" is there twice at byte 21`, ""},
		"model spelled": {`{"model":"m","m\u006fdel":"n",` + user + `}`,
			`the field "model" is there twice at byte 26`, ""},
		"unknown twice":    {`{"x":1,"x":2,` + user + `}`, `the field "x" is there twice at byte 11`, ""},
		"model a number":   {`{"model":1,` + user + `}`, `model: a string was expected at byte 9`, ""},
		"no messages":      {`{"model":"m"}`, `messages: the field is missing at byte 13`, ""},
		"null messages":    {`{"model":"m","messages":null}`, `messages: a list was expected at byte 24`, ""},
		"empty messages":   {`{"model":"m","messages":[]}`, `messages: there is no message in it at byte 26`, ""},
		"message a string": {`{"messages":["hi"]}`, `messages[0]: an object was expected at byte 13`, ""},
		"no role":          {`{"messages":[{"content":"hi"}]}`, `messages[0].role: the field is missing at byte 29`, ""},
		"tools a text":     {`{"tools":"x",` + user + `}`, `tools: a list was expected at byte 9`, ""},
		"tool a number":    {`{"tools":[{},1],` + user + `}`, `tools[1]: an object was expected at byte 13`, ""},
		"function a text":  {`{"functions":["f"],` + user + `}`, `functions[0]: an object was expected at byte 14`, ""},
		"choice a number": {`{"tool_choice":5,` + user + `}`,
			`tool_choice: a string or an object was expected at byte 15`, ""},
		"format a text": {`{"response_format":"x",` + user + `}`,
			`response_format: an object was expected at byte 19`, ""},
		"calls a number": {`{"messages":[{"role":"assistant","tool_calls":5}]}`,
			`messages[0].tool_calls: a list was expected at byte 46`, ""},
		"call a text": {`{"messages":[{"role":"assistant","tool_calls":["f"]}]}`,
			`messages[0].tool_calls[0]: an object was expected at byte 47`, ""},
		"part without text": {`{"messages":[{"role":"user","content":[{"type":"text"}]}]}`,
			`messages[0].content[0].text: the field is missing at byte 54`, ""},
		"role twice": {`{"messages":[{"role":"user","role":"system"}]}`,
			`messages[0]: the field "role" is there twice at byte 35`, ""},
		"content a number": {`{"messages":[{"role":"user","content":1}]}`,
			`messages[0].content: a string or a list of parts was expected at byte 38`, ""},
		"part a string": {`{"messages":[{"role":"user","content":["x"]}]}`,
			`messages[0].content[0]: an object was expected at byte 39`, ""},
		"max_tokens 0": {`{"max_tokens":0,` + user + `}`,
			`max_tokens: a whole number of at least 1 was expected at byte 15`, ""},
		"max_tokens below 0": {`{"max_tokens":-5,` + user + `}`,
			`max_tokens: a whole number of at least 1 was expected at byte 16`, ""},
		"max_tokens a float": {`{"max_tokens":1.5,` + user + `}`,
			`max_tokens: a whole number of at least 1 was expected at byte 17`, ""},
		"max_tokens text": {`{"max_tokens":"9",` + user + `}`, `max_tokens: a number was expected at byte 14`, ""},
		"max_tokens huge": {`{"max_tokens":99999999999999999999,` + user + `}`,
			`max_tokens: a whole number of at least 1 was expected at byte 34`, ""},
		"leading zero":    {`{"max_tokens":07,` + user + `}`, `max_tokens: a number was expected at byte 16`, ""},
		"stream a number": {`{"stream":1,` + user + `}`, `stream: true or false was expected at byte 10`, ""},
		"n":               {`{"n":1025,` + user + `}`, `n: more than 1024 answers are asked for at byte 57`, ""},
		"n_predict": {`{"max_tokens":4,"n_predict":200,` + user + `}`,
			`n_predict: it differs from "max_tokens" at byte 79`, ""},
		"n_predict less": {`{"n_predict":3,"max_completion_tokens":4,` + user + `}`,
			`n_predict: it differs from "max_tokens" at byte 88`, ""},
		"n_predict endless": {`{"n_predict":-1,` + user + `}`,
			`n_predict: a whole number of at least 1 was expected at byte 15`, ""},
		"n_cmpl": {`{"n_cmpl":2,"n":1,` + user + `}`, `n_cmpl: it differs from "n" at byte 65`, ""},
		"max_tokens spelled": {`{"max_tokens":4,"Max_Tokens":200,` + user + `}`,
			`Max_Tokens: it differs from "max_tokens" only in capitals at byte 29`, ""},
		"model in capitals": {`{"model":"m","MODEL":"n",` + user + `}`,
			`MODEL: it differs from "model" only in capitals at byte 21`, ""},
		"n in capitals": {`{"\u004e":7,` + user + `}`, `N: it differs from "n" only in capitals at byte 10`, ""},
		"stream in old print": {`{"ſtream":true,` + user + `}`,
			`ſtream: it differs from "stream" only in capitals at byte 11`, ""},
		"content in capitals": {`{"model":"m","messages":[{"role":"user","content":"a","Content":"b"}]}`,
			`messages[0].Content: it differs from "content" only in capitals at byte 64`, ""},
		"text in capitals": {`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"a","TEXT":"b"}]}]}`,
			`messages[0].content[0].TEXT: it differs from "text" only in capitals at byte 84`, ""},
		"n_cmpl many":       {`{"n_cmpl":1025,` + user + `}`, `n: more than 1024 answers are asked for at byte 62`, ""},
		"control character": {"{\"model\":\"a\nb\"," + user + "}", `model: a control character in a string at byte 11`, ""},
		"no UTF-8": {"{\"model\":\"\xff\"," + user + "}", `model: a string before this is no UTF-8 at byte 12`,
			""},
		"broken escape": {`{"model":"\x",` + user + `}`, `model: a broken escape in a string at byte 10`, ""},
		"too deep":      {`{"x":` + deep + `,` + user + `}`, `x: values are nested too deeply at byte 133`, ""},
		"nul":           {"{\"x\":\x00}", `x: a value was expected at byte 5`, ""},
		"completion": {`{"model":"m",` + user + `}`, `prompt: the field is missing at byte 60`,
			inference.Completion},
		"empty prompt": {`{"model":"m","prompt":[]}`, `prompt: there is no text in it at byte 24`,
			inference.Completion},
		"embedding": {`{"model":"m","prompt":"x"}`, `input: the field is missing at byte 26`, inference.Embedding},
		"mixed input": {`{"model":"m","input":["a",5]}`,
			`input: texts and numbers of tokens are mixed at byte 28`, inference.Embedding},
		"rerank": {`{"model":"m","query":"x"}`, `documents: the field is missing at byte 25`, inference.Rerank},
		"rerank without a query": {`{"model":"m","documents":["x"]}`, `query: the field is missing at byte 31`,
			inference.Rerank},
		"rerank nothing": {`{"query":"x","documents":[]}`, `documents: there is no document in it at byte 27`,
			inference.Rerank},
		"rerank a number": {`{"query":"x","documents":["a",1]}`,
			`documents[1]: a document is a text, or an object that holds one at byte 30`, inference.Rerank},
		"rerank a text": {`{"query":"x","documents":"a"}`, `documents: a list was expected at byte 25`,
			inference.Rerank},
		"rerank none": {`{"query":"x","documents":["a"],"top_n":0}`,
			`top_n: a whole number of at least 1 was expected at byte 40`, inference.Rerank},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := pipeline.Parse(capability.LLM, tc.op, "application/json", []byte(tc.body), nil)
			wantCode(t, err, fault.JobUnreadable)
			if got := fault.Wire(err); got != tc.text {
				t.Errorf("text %q, want %q", got, tc.text)
			}
		})
	}
	_, err := pipeline.Parse(capability.LLM, "", "", []byte("{"+user+"}"), nil)
	wantCode(t, err, fault.ModelMissing)
	_, err = pipeline.Parse(capability.LLM, "", "", []byte(`{"model":"",`+user+`}`), nil)
	wantCode(t, err, fault.ModelMissing)
	_, err = pipeline.Parse(capability.LLM, "song", "", []byte("{"+user+"}"), nil)
	wantCode(t, err, fault.JobUnknown)
	_, err = pipeline.Parse(capability.LiveVideoToVideo, "", "", []byte("{"+user+"}"), nil)
	wantCode(t, err, fault.JobUnknown)
	many := strings.Builder{}
	for i := range 129 {
		many.WriteString(`"` + strings.Repeat("x", i) + `":1,`)
	}
	_, err = pipeline.Parse(capability.LLM, "", "", []byte("{"+many.String()+user+"}"), nil)
	wantCode(t, err, fault.JobUnreadable)
	_, err = pipeline.Parse(capability.LLM, "", "",
		[]byte(`{"max_tokens":9223372036854775807,"n":3,"model":"m",`+user+"}"), nil)
	wantCode(t, err, fault.UnitsTooMany)
}

func TestLLM(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		op   inference.Operation
		body string
		want pipeline.Request
	}{
		"network": {"", `{"model":"a/b","max_tokens":100,"stream":true,` + user + `}`, pipeline.Request{
			Operation: inference.Chat, Stream: true, MaxTokens: 100, N: 1, Plain: true, PromptBytes: 5, Units: 100}},
		"no bound": {inference.Chat, " {\"model\" : \"a/b\" ,\n" + user + "}\n", pipeline.Request{
			Operation: inference.Chat, N: 1, Plain: true, PromptBytes: 5, Units: 256}},
		"nulls": {"", `{"model":"a/b","max_tokens":null,"stream":null,"stream_options":null,"n":null,"stop":null,"tools":[ ` +
			`],"presence_penalty":0,` + user + `}`,
			pipeline.Request{Operation: inference.Chat, N: 1, Plain: true, PromptBytes: 5, Units: 256}},
		"the newer bound": {"", `{"model":"a/b","max_completion_tokens":7,"stream_options":{"include_usage":true},` + user +
			`}`, pipeline.Request{
			Operation: inference.Chat, IncludeUsage: true, MaxTokens: 7, OtherBound: true, N: 1, Plain: true, PromptBytes: 5,
			Units: 7}},
		"both bounds": {"", `{"model":"a/b","max_completion_tokens":7,"max_tokens":9,` + user + `}`, pipeline.Request{
			Operation: inference.Chat, MaxTokens: 9, N: 1, Plain: true, PromptBytes: 5, Units: 9}},
		"choices": {"", `{"model":"a/b","n":3,"max_tokens":10,` + user + `}`, pipeline.Request{
			Operation: inference.Chat, MaxTokens: 10, N: 3, PromptBytes: 5, Units: 30}},
		"llama.cpp's bound": {"", `{"model":"a/b","n_predict":7,` + user + `}`, pipeline.Request{
			Operation: inference.Chat, MaxTokens: 7, OtherBound: true, N: 1, Plain: true, PromptBytes: 5, Units: 7}},
		"llama.cpp's words too": {"", `{"model":"a/b","max_tokens":7,"n_predict":7,"n":2,"n_cmpl":2,` + user + `}`,
			pipeline.Request{
				Operation: inference.Chat, MaxTokens: 7, N: 2, PromptBytes: 5, Units: 14}},
		"llama.cpp's choices": {"", `{"model":"a/b","max_tokens":7,"n_predict":null,"n_cmpl":3,` + user + `}`,
			pipeline.Request{
				Operation: inference.Chat, MaxTokens: 7, N: 3, PromptBytes: 5, Units: 21}},
		"tools": {"", `{"model":"a/b","tools":[{"type":"function"}],` + user + `}`, pipeline.Request{
			Operation: inference.Chat, N: 1, PromptBytes: 5, Units: 256}},
		"parts of text": {"",
			`{"model":"a/b","messages":[{"role":"user","content":[{"type":"text","text":"ab"},{"text":"c"}]}]}`,
			pipeline.Request{
				Operation: inference.Chat, N: 1, Plain: true, PromptBytes: 3, Units: 256}},
		"an image": {"", `{"model":"a/b","messages":[{"role":"user","content":[{"type":"image_url",` +
			`"image_url":{"url":"data:"}}]}]}`, pipeline.Request{
			Operation: inference.Chat, N: 1, Units: 256}},
		"tool's answer": {"", `{"model":"a/b","messages":[{"role":"tool","content":null,"tool_call_id":"x"}]}`,
			pipeline.Request{
				Operation: inference.Chat, N: 1, Units: 256}},
		"escaped model": {"", `{"model":"a\/\u0062","max_tokens":1,` + user + `}`, pipeline.Request{
			Operation: inference.Chat, MaxTokens: 1, N: 1, Plain: true, PromptBytes: 5, Units: 1}},
		"completion": {inference.Completion, `{"model":"a/b","prompt":"abc","max_tokens":4}`, pipeline.Request{
			Operation: inference.Completion, MaxTokens: 4, N: 1, PromptBytes: 3, Units: 4}},
		"completions": {inference.Completion, `{"model":"a/b","prompt":["abc","d"],"best_of":2,"max_tokens":4}`,
			pipeline.Request{
				Operation: inference.Completion, MaxTokens: 4, N: 4, PromptBytes: 4, Units: 16}},
		"completion of tokens": {inference.Completion, `{"model":"a/b","prompt":[1,2,3],"max_tokens":4}`, pipeline.Request{
			Operation: inference.Completion, MaxTokens: 4, N: 1, PromptBytes: 12, Units: 4}},
		"embedding": {inference.Embedding, `{"model":"a/b","input":"abcdefghi","stream":true}`, pipeline.Request{
			Operation: inference.Embedding, N: 1, Inputs: 1, PromptBytes: 9, Units: 3}},
		"embeddings": {inference.Embedding, `{"model":"a/b","input":[[1,2],[3]]}`, pipeline.Request{
			Operation: inference.Embedding, N: 2, Inputs: 2, PromptBytes: 12, Units: 3}},
		// The query is read with each document: 2*4 and 3+5 bytes.
		"rerank": {inference.Rerank, `{"model":"a/b","query":"abcd","documents":["abc","abcde"]}`, pipeline.Request{
			Operation: inference.Rerank, N: 2, Inputs: 2, PromptBytes: 16, Units: 4}},
		"rerank, the best": {inference.Rerank,
			`{"model":"a/b","top_n":1,"query":"a","documents":["b",{"text":"c"}],"stream":true}`,
			pipeline.Request{Operation: inference.Rerank, N: 2, Inputs: 1, PromptBytes: 13, Units: 4}},
		"rerank, more than there are": {inference.Rerank, `{"model":"a/b","top_n":9,"query":"a","documents":["b"]}`,
			pipeline.Request{Operation: inference.Rerank, N: 1, Inputs: 1, PromptBytes: 2, Units: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := pipeline.Parse(capability.LLM, tc.op, "application/json", []byte(tc.body), nil)
			if err != nil {
				t.Fatal(err)
			}
			tc.want.Model = inference.Model{Capability: capability.LLM, ID: "a/b"}
			if 4*int(got.InputTokens) < got.PromptBytes {
				t.Errorf("%d tokens are read of %d bytes", got.InputTokens, got.PromptBytes)
			}
			got.InputTokens, got.Features = 0, 0 // TestInputTokens and TestNeeds have them
			if !reflect.DeepEqual(*got, tc.want) {
				t.Errorf("got  %+v\nwant %+v", *got, tc.want)
			}
		})
	}
}

func TestNetworkLLM(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"model":"m",` + user +
			`}`: `{"messages":[{"role":"user","content":"hello"}],"model":"m","max_tokens":256,"stream":false}`,
		`{"top_k":-1,"tools":[{}],"top_p":0.5,"stream":true,"model":"m","max_completion_tokens":9,"temperature":1e-1,` +
			user + `}`: `{"messages":[{"role":"user","content":"hello"}],"model":"m","max_tokens":9,"stream":true,` +
			`"temperature":1e-1,"top_p":0.5,"top_k":-1}`,
		`{"model":"m","temperature":null,"top_p":"x","messages":[{"role":"system","content":[{"type":"text","text":"a\"b"},` +
			`{"type":"text","text":"c"},{"type":"image_url","image_url":{}}]},{"content":null,"role":"assistant",` +
			`"tool_calls":[]}]}`: `{"messages":[{"role":"system","content":"a\"b\nc"},{"role":"assistant","content":""}],` +
			`"model":"m","max_tokens":256,"stream":false}`,
		`{"model":"m","n_predict":7,` + user +
			`}`: `{"messages":[{"role":"user","content":"hello"}],"model":"m","max_tokens":7,"stream":false}`,
		`{"model":"m"}`: "",
		`no json`:       "",
	} {
		if got := string(pipeline.NetworkLLM([]byte(in))); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", in, got, want)
		}
	}
}

func FuzzLLM(f *testing.F) {
	f.Add([]byte(`{"model":"m","max_tokens":1,"stream":true,`+user+`}`), []byte(`{"a":[1,-0.5e+3,"\u00e9",null,true,{}]}`))
	f.Add([]byte(`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"x"}]}],"top_k":1}`),
		[]byte(` "\ud800" `))
	f.Fuzz(func(t *testing.T, body, value []byte) {
		for _, op := range []inference.Operation{inference.Chat, inference.Completion, inference.Embedding} {
			checkLLM(t, op, body)
		}
		pipeline.PrefixHashes(body)
		// Whatever value a field that is not ours has, it is taken, and only then.
		whole := []byte(`{"model":"m","max_tokens":1,` + user + `,"extra":` + string(value) + `}`)
		_, err := pipeline.Decode(capability.LLM, inference.Chat, "", whole)
		if json.Valid(value) && utf8.Valid(value) && depth(value) < 100 && err != nil {
			t.Errorf("%s: %v", whole, err)
		}
		checkLLM(t, inference.Chat, whole)
	})
}

// checkLLM holds what is taken against the standard library.
func checkLLM(t *testing.T, op inference.Operation, body []byte) {
	r, err := pipeline.Decode(capability.LLM, op, "", body)
	if err != nil {
		if fault.ClassOf(err) != fault.BadRequest {
			t.Fatal(err)
		}
		return
	}
	var std struct {
		Model     string
		MaxTokens *int64 `json:"max_tokens"`
	}
	if err := json.Unmarshal(body, &std); err != nil {
		t.Fatalf("%q was taken: %v", body, err)
	}
	// The standard library also takes names that differ in case.
	if !strings.Contains(strings.ToLower(string(body)), `"model"`) && std.Model != r.Model.ID {
		t.Errorf("model %q, the standard library reads %q", r.Model.ID, std.Model)
	}
	if op != inference.Chat {
		return
	}
	network := pipeline.NetworkLLM(body)
	again, err := pipeline.Decode(capability.LLM, op, "", network)
	if err != nil {
		t.Fatalf("%s: %v", network, err)
	}
	if !again.Plain || again.Model != r.Model || again.Stream != r.Stream || r.Plain && again.PromptBytes < r.PromptBytes {
		if plainRoles(network) {
			t.Errorf("%s became %s", body, network)
		}
	}
}

// plainRoles reports whether a request has only the network's roles.
func plainRoles(body []byte) bool {
	var r struct{ Messages []struct{ Role string } }
	if json.Unmarshal(body, &r) != nil {
		return false
	}
	for _, m := range r.Messages {
		if m.Role != "user" && m.Role != "system" && m.Role != "assistant" {
			return false
		}
	}
	// A role spelled with escapes is not looked at closely.
	return !strings.Contains(string(body), `\u`)
}

func depth(value []byte) int {
	return strings.Count(string(value), "[") + strings.Count(string(value), "{")
}

func chat(size int) []byte {
	text := strings.Repeat("The quick brown fox jumps over the lazy dog. ", size/90+1)
	return []byte(`{"model":"meta-llama/Meta-Llama-3.1-8B-Instruct","messages":[{"role":"system","content":"` + text +
		`"},{"role":"user","content":"` + text + `"}],"max_tokens":256,"stream":true,"temperature":0.7}`)
}

func BenchmarkParse(b *testing.B) {
	body := chat(1 << 10)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := pipeline.Parse(capability.LLM, inference.Chat, "application/json", body, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPrefixHashes(b *testing.B) {
	body := chat(16 << 10)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		pipeline.PrefixHashes(body)
	}
}

func BenchmarkNetworkLLM(b *testing.B) {
	body := chat(1 << 10)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		pipeline.NetworkLLM(body)
	}
}
