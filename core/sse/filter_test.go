package sse_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tuttinode/tutti/core/sse"
)

func TestHideUsage(t *testing.T) {
	t.Parallel()
	for name, p := range streams(t) {
		var want []string
		for _, block := range strings.SplitAfter(string(p), "\n\n") {
			if !strings.Contains(block, `"choices":[]`) {
				want = append(want, block)
			}
		}
		for i := range p {
			if got := filtered(&sse.HideUsage{}, p, i); got != strings.Join(want, "") {
				t.Fatalf("%s cut at %d: got\n%s", name, i, got)
			}
		}
		h := &sse.HideUsage{}
		filtered(h, p)
		s := scan(p)
		if got := look(&h.Scanner); got != s {
			t.Errorf("%s: scanned %+v, want %+v", name, got, s)
		}
	}
}

// What is no event to hide passes as soon as that is sure.
func TestHideUsageHoldsNothingLong(t *testing.T) {
	t.Parallel()
	h := &sse.HideUsage{}
	if got := h.Feed(nil, []byte(`data: {"id":"x",`)); len(got) != 0 {
		t.Errorf("%q went before it was known", got)
	}
	if got := string(h.Feed(nil,
		[]byte(`"choices":[{"delta":{"content":"a`))); got != `data: {"id":"x","choices":[{"delta":{"content":"a` {
		t.Errorf("%q", got)
	}
	if got := string(h.Feed(nil, []byte("bc"))); got != "bc" {
		t.Errorf("%q", got)
	}
	long := "data: {\"usage\":{\"x\":\"" + strings.Repeat("y", 1<<20)
	h = &sse.HideUsage{}
	if got := h.Feed(nil, []byte(long)); string(got) != long {
		t.Errorf("a long event is held back: %d bytes went", len(got))
	}
}

func TestHideUsageAtTheEnd(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`data: {"choices":[],"usage":{"prompt_tokens":1}}`: "",
		`data: {"choices":[],"usage":{"prompt_tokens":`:    `data: {"choices":[],"usage":{"prompt_tokens":`,
		`data: [DONE]`: `data: [DONE]`,
		": wait":       ": wait",
	} {
		if got := filtered(&sse.HideUsage{}, []byte(in)); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

func FuzzHideUsage(f *testing.F) {
	for _, p := range streams(f) {
		f.Add(p, uint16(9))
	}
	f.Fuzz(func(t *testing.T, p []byte, at uint16) {
		whole := filtered(&sse.HideUsage{}, p)
		if got := filtered(&sse.HideUsage{}, p, int(at)); got != whole {
			t.Fatalf("cut at %d: %q, want %q", at, got, whole)
		}
		a, b := scan(p), scan([]byte(whole))
		if a.Done != b.Done || a.Failed != b.Failed || a.Finished != b.Finished || a.Content != b.Content ||
			b.Events > a.Events {
			t.Fatalf("of %+v is left %+v", a, b)
		}
	})
}

// networkEvent is what gateways of the existing network read.
type networkEvent struct {
	ID      string `json:"id"`
	Model   string `json:"model"`
	Created int64  `json:"created"`
	Usage   struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Total      int `json:"total_tokens"`
	} `json:"usage"`
	Choices []struct {
		Index int `json:"index"`
		Delta struct {
			Role, Content string
		} `json:"delta"`
		FinishReason *string `json:"finish_reason"`
	} `json:"choices"`
}

// readNetwork reads a stream as those gateways do and checks all they demand.
func readNetwork(t *testing.T, p string) (text, reason string, last networkEvent) {
	t.Helper()
	lines := bufio.NewScanner(strings.NewReader(p)) // fails at 64 KiB, as theirs does
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			if lines.Text() != "" {
				t.Fatalf("a line that is none of theirs: %q", lines.Text())
			}
			continue
		}
		last = networkEvent{}
		if err := json.Unmarshal([]byte(data), &last); err != nil || len(last.Choices) != 1 {
			t.Fatalf("%q: %d choices, %v", data, len(last.Choices), err)
		}
		if reason != "" {
			t.Fatalf("an event after the last: %q", data)
		}
		text += last.Choices[0].Delta.Content
		if r := last.Choices[0].FinishReason; r != nil {
			reason = *r
		}
	}
	if err := lines.Err(); err != nil || reason == "" || !strings.HasSuffix(p, "\n\n") {
		t.Fatalf("reason %q, %v", reason, err)
	}
	return text, reason, last
}

func TestNetwork(t *testing.T) {
	t.Parallel()
	type want struct {
		text, reason string
		total        int
	}
	tests := map[string]want{
		"llamacpp":            {" one two three four five six", "length", 28},
		"llamacpp-completion": {" one two three four five six", "length", 9},
		"llamacpp-untold":     {" one two three four five six", "length", 0},
		"vllm":                {" one two \"three\"\n", "stop", 25}, "ollama": {" one two three", "stop", 25},
		"litellm":      {" one two three", "stop", 25},
		"finish-usage": {" one two three", "stop", 25}, "runner": {" one two three", "stop", 25},
		"usage-null":  {" one two three", "stop", 25},
		"early-usage": {" one two three", "stop", 25}, "untold": {" one two three", "length", 0},
		"tools":    {"", "tool_calls", 25},
		"comments": {" one two", "stop", 24}, "error": {" one", "error", 0}, "runner-error": {" one", "error", 23},
	}
	for name, p := range streams(t) {
		whole := filtered(&sse.Network{}, p)
		text, reason, last := readNetwork(t, whole)
		if got := (want{text, reason, last.Usage.Total}); got != tests[name] {
			t.Errorf("%s: %+v, want %+v", name, got, tests[name])
		}
		if last.ID == "" || last.Model == "" || last.Created == 0 {
			t.Errorf("%s: the last event lacks a label: %+v", name, last)
		}
		for i := 0; i < len(p); i += 1 + len(p)/1000 {
			if got := filtered(&sse.Network{}, p, i); got != whole {
				t.Fatalf("%s cut at %d: got\n%s\nwant\n%s", name, i, got, whole)
			}
		}
	}
}

func TestNetworkNamesTheModelThatWasAskedFor(t *testing.T) {
	t.Parallel()
	for name, p := range streams(t) {
		whole := filtered(&sse.Network{Model: "org/asked"}, p)
		if n := strings.Count(whole, `"model":"org/asked"`); n == 0 || n != strings.Count(whole, `"model":`) {
			t.Errorf("%s: %s", name, whole)
		}
	}
}

// A stream that breaks at any byte still ends with a reason, "error" unless the
// whole answer was there.
func TestNetworkBroken(t *testing.T) {
	t.Parallel()
	p := stream(t, "vllm")
	finished := bytes.Index(p, []byte(`"stop"`))
	finished += bytes.Index(p[finished:], []byte("\n\n")) + 2
	for i := range p {
		var f sse.Network
		out := f.End(f.Feed(nil, p[:i]), true)
		_, reason, _ := readNetwork(t, string(out))
		want := "error"
		if i >= finished {
			want = "stop"
		}
		if reason != want {
			t.Fatalf("broken after %d: %q, want %q", i, reason, want)
		}
	}
}

func TestNetworkSplitsLongText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat("x", 1<<20), strings.Repeat("\x01\"", 1<<17),
		strings.Repeat("ö€😀", 1<<16), "<&>\u2028"} {
		content, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		p := fmt.Appendf(
			nil,
			"data: {\"id\":\"a\",\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":%s},\"finish_reason\":\"stop\"}]"+
				"}\n\n",
			content,
		)
		got, reason, _ := readNetwork(t, filtered(&sse.Network{}, p, 5, 70000))
		if got != text || reason != "stop" {
			t.Errorf("%d bytes became %d, %q", len(text), len(got), reason)
		}
	}
	long := "data: {\"id\":\"" + strings.Repeat("i", 1<<17) + "\",\"choices\":[{\"finish_reason\":\"" +
		strings.Repeat("r", 1<<17) + "\"}]}\n\n"
	readNetwork(t, filtered(&sse.Network{}, []byte(long)))
	endless := append([]byte("data: {\"choices\":[{\"delta\":{\"content\":\""), bytes.Repeat([]byte("x"), 9<<20)...)
	if _, reason, _ := readNetwork(t, filtered(&sse.Network{}, endless)); reason != "error" {
		t.Errorf("an endless event ends with %q", reason)
	}
}

func FuzzNetwork(f *testing.F) {
	for _, p := range streams(f) {
		f.Add(p, uint16(9), false)
	}
	f.Add([]byte("data: {\"choices\":[{\"finish_reason\":\"stop\"},{}],\"created\":1e3}\n\n"), uint16(1), true)
	f.Fuzz(func(t *testing.T, p []byte, at uint16, broken bool) {
		run := func(cuts ...int) string {
			var f sse.Network
			var out []byte
			cut(p, cuts, func(part []byte) { out = f.Feed(out, part) })
			return string(f.End(out, broken))
		}
		whole := run()
		if got := run(int(at)); got != whole {
			t.Fatalf("cut at %d: %q, want %q", at, got, whole)
		}
		readNetwork(t, whole)
	})
}

func TestReader(t *testing.T) {
	t.Parallel()
	p := stream(t, "vllm")
	want := filtered(&sse.HideUsage{}, p)
	for name, src := range map[string]io.Reader{
		"whole": bytes.NewReader(p), "bytes": iotest.OneByteReader(bytes.NewReader(p)),
		"with end": iotest.DataErrReader(bytes.NewReader(p)),
	} {
		if err := iotest.TestReader(sse.NewReader(io.NopCloser(src), &sse.HideUsage{}), []byte(want)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	broke := errors.New("broke")
	r := sse.NewReader(io.NopCloser(io.MultiReader(bytes.NewReader(p[:300]), iotest.ErrReader(broke))), &sse.Network{})
	got, err := io.ReadAll(r)
	if _, reason, _ := readNetwork(t, string(got)); reason != "error" || !errors.Is(err, broke) {
		t.Errorf("%q, %v", reason, err)
	}
}
