package sse_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/sse"
)

// foreignStream is a recorded stream of a node of the existing network.
func foreignStream(tb testing.TB) []byte {
	tb.Helper()
	b, err := os.ReadFile("../../test/vectors/ai/network/chat.sse")
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// openAIForm says what of a stream is not of OpenAI's form, "" when all is.
func openAIForm(p string) string {
	roles := 0
	for event := range strings.SplitSeq(strings.TrimSuffix(p, "\n\n"), "\n\n") {
		data, _ := strings.CutPrefix(event, "data: ")
		if data == "[DONE]" {
			continue
		}
		var e struct {
			Object  string
			Usage   json.RawMessage
			Choices []struct {
				Finish *string `json:"finish_reason"`
				Delta  map[string]json.RawMessage
			}
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil || e.Object != "chat.completion.chunk" {
			return "no chunk: " + event
		}
		if len(e.Choices) > 0 && len(e.Usage) > 0 {
			return "usage next to a choice: " + event
		}
		for _, c := range e.Choices {
			role, has := c.Delta["role"]
			if has {
				roles++
			}
			if c.Finish != nil && *c.Finish == "" || has && string(role) != `"assistant"` {
				return "an empty reason or role: " + event
			}
		}
	}
	if roles != 1 {
		return "not one role"
	}
	return ""
}

// TestOpenAI: streams of the network's form get OpenAI's, however they are cut, and all others
// pass as they are.
func TestOpenAI(t *testing.T) {
	t.Parallel()
	all := streams(t)
	all["network"] = foreignStream(t)
	for name, p := range all {
		made := name == "runner" || name == "network"
		if name == "runner-error" {
			continue // below
		}
		for _, usage := range []bool{false, true} {
			whole := filtered(&sse.OpenAI{Usage: usage, Network: name == "network"}, p)
			switch {
			case !made && whole != string(p):
				t.Errorf("%s: was changed:\n%s", name, whole)
			case made && openAIForm(whole) != "":
				t.Errorf("%s: %s in\n%s", name, openAIForm(whole), whole)
			case made && strings.Contains(whole, `"choices":[],`) != usage:
				t.Errorf("%s: usage asked %v:\n%s", name, usage, whole)
			case made && strings.Count(whole, `" three"`) != 1:
				t.Errorf("%s: words are missing:\n%s", name, whole)
			}
			for i := range p {
				if got := filtered(&sse.OpenAI{Usage: usage, Network: name == "network"}, p, i); got != whole {
					t.Fatalf("%s cut at %d: got\n%s\nwant\n%s", name, i, got, whole)
				}
			}
		}
	}
}

// TestOpenAIErrors: an error is an object, and an answer that failed has no reason of its own.
func TestOpenAIErrors(t *testing.T) {
	t.Parallel()
	got := filtered(&sse.OpenAI{}, stream(t, "runner-error"))
	if !strings.HasSuffix(
		got,
		`data: {"error":{"code":null,"message":"Internal server error during LLM processing.","param":null,`+
			`"type":"server_error"}}`+"\n\n",
	) {
		t.Errorf("%s", got)
	}
	failed := bytes.Replace(foreignStream(t), []byte(`"stop"`), []byte(`"error"`), 1)
	f := &sse.OpenAI{Network: true, Usage: true}
	if got := filtered(f, failed); !f.Failed() || openAIForm(got) != "" || strings.Contains(got, "error") ||
		strings.Contains(got, `"choices":[]`) {
		t.Errorf("failed %v:\n%s", f.Failed(), got)
	}
	cut := string(foreignStream(t)) + `data: {"id":"a","choi`
	if got := filtered(&sse.OpenAI{Network: true}, []byte(cut)); openAIForm(got) != "" {
		t.Errorf("an event that is cut off is sent: %s", got)
	}
	object := "data: {\"error\":{\"message\":\"x\"}}\n\n"
	if got := filtered(&sse.OpenAI{}, []byte(object)); got != object {
		t.Errorf("%s", got)
	}
}

// TestOpenAIHoldsLittle: what is held back of an event is bounded.
func TestOpenAIHoldsLittle(t *testing.T) {
	t.Parallel()
	long := "data: {\"choices\":[{\"delta\":{\"content\":\"" + strings.Repeat("x", 1<<20)
	for _, f := range []*sse.OpenAI{{}, {Network: true}} {
		out := f.Feed(nil, []byte(long[:200<<10]))
		if len(out) != 200<<10 || string(f.Feed(nil, []byte("yy"))) != "yy" {
			t.Errorf("%+v: %d bytes went", f.Network, len(out))
		}
	}
}

// TestOpenAIChoices: each choice of several has its role once, as runners send them, in events
// of their own.
func TestOpenAIChoices(t *testing.T) {
	t.Parallel()
	const one = "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"x\"},\"finish_reason" +
		"\":\"\"}]}\n\n"
	other := strings.Replace(one, `"index":0`, `"index":1`, 1)
	got := filtered(&sse.OpenAI{}, []byte(one+other+one+other))
	var roles []bool
	for event := range strings.SplitSeq(strings.TrimSuffix(got, "\n\n"), "\n\n") {
		roles = append(roles, strings.Contains(event, `"role":"assistant"`))
	}
	if !slices.Equal(roles, []bool{true, true, false, false}) {
		t.Errorf("roles are in %v of\n%s", roles, got)
	}
}

// TestOpenAIGrowsLittle: what is made of an event is not many times as long.
func TestOpenAIGrowsLittle(t *testing.T) {
	t.Parallel()
	event := "data: {\"choices\":[{}" + strings.Repeat(",{}", 20_000) + "]}\n\n"
	if got := filtered(&sse.OpenAI{Network: true}, []byte(event)); got != event {
		t.Errorf("%d bytes of %d", len(got), len(event))
	}
}

func FuzzOpenAI(f *testing.F) {
	for _, p := range streams(f) {
		f.Add(p, uint16(9), true)
	}
	f.Add(foreignStream(f), uint16(300), false)
	f.Add([]byte("data: {\"choices\":[null,{\"finish_reason\":\"\"}],\"usage\":{}}\n\n"), uint16(1), true)
	f.Add([]byte("data: null\n\ndata: {}\n\ndata: [DONE]\n\n"), uint16(1), true)
	f.Fuzz(func(t *testing.T, p []byte, at uint16, network bool) {
		whole := filtered(&sse.OpenAI{Network: network, Usage: true}, p)
		if got := filtered(&sse.OpenAI{Network: network, Usage: true}, p, int(at)); got != whole {
			t.Fatalf("cut at %d: %q, want %q", at, got, whole)
		}
	})
}
