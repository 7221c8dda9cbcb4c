package backend_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/tuttinode/tutti/ai/backend"
)

func TestForOpenAI(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		stream   bool
		want     string
	}{
		{"nothing to do", `{"model":"m","x":[1, 2]}`, false, `{"model":"m","x":[1, 2]}`},
		{"other model", ` { "x" : {"model":"a"} , "model" : "a" }`, false, ` { "x" : {"model":"a"} , "model" : "m" }`},
		{"no model", `{"x":1}`, false, `{"model":"m","x":1}`},
		{"empty", `{ }`, false, `{"model":"m" }`},
		{"model null", `{"model":null}`, false, `{"model":"m"}`},
		{"twice", `{"model":"a","model":"m","model":"b"}`, false, `{"model":"m","model":"m","model":"m"}`},
		{"escaped key", `{"mod\u0065l":"a"}`, false, `{"mod\u0065l":"m"}`},
		{"escaped name", `{"model":"\u006d"}`, false, `{"model":"\u006d"}`},
		{"stream", `{"model":"a","stream":true}`, true, `{"stream_options":{"include_usage":true},"model":"m","stream":true}`},
		{"stream, no model", `{"a":1}`, true, `{"model":"m","stream_options":{"include_usage":true},"a":1}`},
		{"stream, both missing", `{}`, true, `{"model":"m","stream_options":{"include_usage":true}}`},
		{"asked for", `{"model":"m","stream_options":{"include_usage":true}}`, true,
			`{"model":"m","stream_options":{"include_usage":true}}`},
		{"declined", `{"model":"m","stream_options":{"x":1,"include_usage":false}}`, true,
			`{"model":"m","stream_options":{"x":1,"include_usage":true}}`},
		{"other options", `{"model":"m","stream_options":{"x":1}}`, true,
			`{"model":"m","stream_options":{"include_usage":true,"x":1}}`},
		{"empty options", `{"model":"m","stream_options": {} }`, true,
			`{"model":"m","stream_options": {"include_usage":true} }`},
		{"null options", `{"model":"m","stream_options":null}`, true,
			`{"model":"m","stream_options":{"include_usage":true}}`},
		{"wrong options", `{"model":"m","stream_options":"x"}`, true, `{"model":"m","stream_options":"x"}`},
		{"no object", `[1]`, true, `[1]`},
		{"cut off", `{"model":"a`, true, `{"model":"a`},
		{"garbage", `}{`, true, `}{`},
	}
	for _, tt := range tests {
		got := string(backend.ForOpenAI([]byte(tt.in), "m", tt.stream))
		if got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
	if got := string(backend.WithModel([]byte(`{"x":1,"model":"a"}`), "m\"")); got != `{"x":1,"model":"m\""}` {
		t.Error(got)
	}
}

func decodeAny(t *testing.T, body []byte) (v map[string]any) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return v
}

// Whatever the request, its edited form is the same but for the model's name and
// the wish for usage.
func FuzzForOpenAI(f *testing.F) {
	f.Add([]byte(`{"model":"a","stream_options":{"x":[{"include_usage":1}]},"messages":[{"role":"user","content":"}\"{"}]}`), true)
	f.Add([]byte(`{"stream_options":{"include_usage":null},"stream_options":null}`), true)
	f.Add([]byte(`{}`), true)
	f.Add([]byte(" {\n\"model\" :1e5 , \"a\":-0.1,\"b\":[]}"), false)
	f.Fuzz(func(t *testing.T, body []byte, stream bool) {
		got := backend.ForOpenAI(bytes.Clone(body), "the/model", stream)
		trimmed := bytes.TrimLeft(body, " \t\r\n")
		if !json.Valid(body) || trimmed[0] != '{' {
			return
		}
		want := decodeAny(t, body)
		want["model"] = "the/model"
		if options, found := want["stream_options"]; stream && (!found || options == nil) {
			want["stream_options"] = map[string]any{"include_usage": true}
		} else if o, ok := options.(map[string]any); stream && ok {
			o["include_usage"] = true
		}
		if now := decodeAny(t, got); !reflect.DeepEqual(now, want) {
			t.Fatalf("%s became %s", body, got)
		}
	})
}
