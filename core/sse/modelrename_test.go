package sse_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/sse"
)

// feedBy feeds text in pieces of a size.
func feedBy(f sse.Filter, text string, size int) string {
	var out []byte
	for len(text) > 0 {
		n := min(size, len(text))
		out = f.Feed(out, []byte(text[:n]))
		text = text[n:]
	}
	return string(f.End(out, false))
}

func TestNamed(t *testing.T) {
	t.Parallel()
	const path = "/models/llama-3.gguf"
	for name, tt := range map[string]struct{ in, want string }{
		"first": {`{"model":"` + path + `","choices":[]}`, `{"model":"org/m","choices":[]}`},
		"last": {`{"choices":[{"message":{"content":"x"}}],"model":"` + path + `"}`,
			`{"choices":[{"message":{"content":"x"}}],"model":"org/m"}`},
		"spaced": {"{\n \"id\" : 1,\n \"model\" :\n \"" + path + "\" }",
			"{\n \"id\" : 1,\n \"model\" :\n \"org/m\" }"},
		"right":   {`{"model":"org/m","x":{"model":"y"}}`, `{"model":"org/m","x":{"model":"y"}}`},
		"within":  {`{"x":{"model":"y"},"l":["model","y"]}`, `{"x":{"model":"y"},"l":["model","y"]}`},
		"no text": {`{"model":null,"x":"model"}`, `{"model":null,"x":"model"}`},
		"in a text": {`{"x":"{\"model\":\"y\"}","y":"\\","model":"` + path + `"}`,
			`{"x":"{\"model\":\"y\"}","y":"\\","model":"org/m"}`},
		"another key": {`{"models":"a","mode":"b","Model":"c","a\"model":"d"}`,
			`{"models":"a","mode":"b","Model":"c","a\"model":"d"}`},
		"escapes":         {`{"model":"a\"b\\","x":1}`, `{"model":"org/m","x":1}`},
		"longer than any": {`{"model":"` + strings.Repeat("x", 5000) + `","x":1}`, `{"model":"org/m","x":1}`},
		"a list":          {`["model","x"]`, `["model","x"]`},
		"cut off":         {`{"x":1,"model":"/mod`, `{"x":1,"model":"/mod`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for size := 1; size <= len(tt.in); size++ {
				n := sse.NewModelRenamer("org/m", false)
				if got := feedBy(&n, tt.in, size); got != tt.want {
					t.Fatalf("in pieces of %d:\n%s\nwant\n%s", size, got, tt.want)
				}
			}
		})
	}
}

func TestNamedStream(t *testing.T) {
	t.Parallel()
	event := func(model, text string) string {
		return `data: {"choices":[{"index":0,"delta":{"content":"` + text + `"}}],"model":"` + model + `"}` + "\n\n"
	}
	texts := []string{"one", `\"model\":\"x\"`, "{", "three"}
	in, want := ": \"waiting {\n\n", ": \"waiting {\n\n"
	for _, text := range texts {
		in, want = in+event("/models/a.gguf", text), want+event("org/m", text)
	}
	in, want = in+"data: [DONE]\n\n", want+"data: [DONE]\n\n"
	for size := 1; size <= len(in); size++ {
		n := sse.NewModelRenamer("org/m", true)
		if got := feedBy(&n, in, size); got != want {
			t.Fatalf("in pieces of %d:\n%s\nwant\n%s", size, got, want)
		}
		n = sse.NewModelRenamer("/models/a.gguf", true)
		if got := feedBy(&n, in, size); got != in {
			t.Fatalf("a name that is right, in pieces of %d:\n%s", size, got)
		}
	}
}

// Whatever comes: an object stays one, and its model has the name.
func FuzzNamed(f *testing.F) {
	f.Add(`{"model":"x","choices":[{"model":"y"}]}`, 3)
	f.Add(`{"a":{"b":["model"]},"model":"\u002fpath"}`, 1)
	f.Fuzz(func(t *testing.T, in string, size int) {
		if size < 1 || size > 64 {
			size = 1
		}
		n := sse.NewModelRenamer("org/m", false)
		out := feedBy(&n, in, size)
		var before, after map[string]any
		if json.Unmarshal([]byte(in), &before) != nil || strings.Count(in, "odel") > 1 || strings.Contains(in, `\u`) {
			return
		}
		if err := json.Unmarshal([]byte(out), &after); err != nil {
			t.Fatalf("%q became %q: %v", in, out, err)
		}
		if _, text := before["model"].(string); text && after["model"] != "org/m" {
			t.Fatalf("%q became %q", in, out)
		}
	})
}
