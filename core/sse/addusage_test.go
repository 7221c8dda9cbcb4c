package sse_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/tuttinode/tutti/core/sse"
)

// cost are the fields of the tests.
func cost() map[string]json.RawMessage {
	return map[string]json.RawMessage{"cost": json.RawMessage("0.25"), "cost_wei": json.RawMessage(`"7"`)}
}

func TestAddUsage(t *testing.T) {
	t.Parallel()
	const added = `"cost":0.25,"cost_wei":"7"`
	for in, want := range map[string]string{
		`{"usage":{"prompt_tokens":3}}`:                   `{"usage":{"prompt_tokens":3,` + added + `}}`,
		`{"usage":{ } ,"x":1}`:                            `{"usage":{` + added + `} ,"x":1}`,
		`{"x":{"usage":{}},"usage" : {"a":{"b":[1]} } }`:  `{"x":{"usage":{}},"usage" : {"a":{"b":[1]},` + added + `} }`,
		`{"usage":{"cost":9,"a":1}}`:                      `{"usage":{"a":1,` + added + `}}`,
		`{"text":"\"usage\":{}","y":"usage","z":{"q":1}}`: "",
		`{"usage":null,"z":{"q":1}}`:                      "",
		`{"usage":"none","z":{}}`:                         "",
		`{"choices":[{"usage":{}}]}`:                      "",
		`{"usage":{"a":1}`:                                "",
		`[{"usage":{"a":1}}]`:                             "",
		`{"usage":{"a":}}`:                                "",
		``:                                                "",
		`}{"usage":{}}`:                                   "",
	} {
		if want == "" {
			want = in
		}
		if got := string(sse.AddUsageTo([]byte(in), cost())); got != want {
			t.Errorf("%s becomes %s, want %s", in, got, want)
		}
	}
	const stream = "data: {\"choices\":[{\"delta\":{\"content\":\"usage\"}}],\"usage\":null}\n\n" +
		": \"usage\":{}\n\ndata: {\"choices\":[],\"usage\":{\"a\":1}}\r\n\r\ndata: [DONE]\n\ndata: {\"usage\":{\"a\""
	const want = "data: {\"choices\":[{\"delta\":{\"content\":\"usage\"}}],\"usage\":null}\n\n" +
		": \"usage\":{}\n\ndata: {\"choices\":[],\"usage\":{\"a\":1," + added + "}}\r\n\r\n" +
		"data: [DONE]\n\ndata: {\"usage\":{\"a\""
	if got := string(sse.AddUsage([]byte(stream), cost())); got != want {
		t.Errorf("%s", got)
	}
}

// Whatever comes, JSON stays JSON with the same fields otherwise, and all else stays as it is.
func FuzzAddUsage(f *testing.F) {
	f.Add([]byte(`{"usage":{"a":1},"b":[{"usage":{}}]}`))
	f.Add([]byte(`{"\u0075sage":{},"usage":{"cost":1}}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		out := sse.AddUsageTo(in, cost())
		var before, after map[string]any
		if json.Unmarshal(in, &before) != nil {
			if json.Valid(out) && !json.Valid(in) {
				t.Errorf("%q becomes %q", in, out)
			}
			return
		}
		if err := json.Unmarshal(out, &after); err != nil {
			t.Fatalf("%q becomes %q: %v", in, out, err)
		}
		for _, m := range []map[string]any{before, after} {
			if u, ok := m["usage"].(map[string]any); ok {
				delete(u, "cost")
				delete(u, "cost_wei")
			}
		}
		if !reflect.DeepEqual(before, after) {
			t.Errorf("%q becomes %q", in, out)
		}
	})
}
