package sse_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/sse"
)

func TestUsageShapes(t *testing.T) {
	t.Parallel()
	usage := func(p, c, cached inference.Tokens) inference.Usage {
		return inference.Usage{Prompt: p, Completion: c, Cached: cached}
	}
	tests := map[string]seen{
		"llamacpp": {
			Events:   9,
			Content:  6,
			Usage:    usage(22, 6, 0),
			Reported: true,
			Done:     true,
			Finished: true,
		},
		"llamacpp-completion": {
			Events:   7,
			Content:  6,
			Usage:    usage(3, 6, 1),
			Reported: true,
			Done:     true,
			Finished: true,
		},
		"llamacpp-untold": {Events: 8, Content: 6, Usage: inference.Usage{Completion: 6, Estimated: true}, Done: true,
			Finished: true},
		"vllm":         {Events: 5, Content: 3, Usage: usage(22, 3, 0), Reported: true, Done: true, Finished: true},
		"ollama":       {Events: 5, Content: 3, Usage: usage(22, 3, 0), Reported: true, Done: true, Finished: true},
		"litellm":      {Events: 5, Content: 3, Usage: usage(22, 3, 16), Reported: true, Done: true, Finished: true},
		"finish-usage": {Events: 5, Content: 3, Usage: usage(22, 3, 16), Reported: true, Done: true, Finished: true},
		"runner":       {Events: 4, Content: 3, Usage: usage(22, 3, 0), Reported: true, Done: true, Finished: true},
		"usage-null":   {Events: 5, Content: 3, Usage: usage(22, 3, 16), Reported: true, Done: true, Finished: true},
		"early-usage":  {Events: 5, Content: 3, Usage: usage(22, 3, 16), Reported: true, Done: true, Finished: true},
		"tools":        {Events: 3, Content: 1, Usage: usage(22, 3, 16), Reported: true, Done: true, Finished: true},
		"comments":     {Events: 3, Content: 2, Usage: usage(22, 2, 0), Reported: true, Done: true, Finished: true},
		"untold": {Events: 4, Content: 3, Usage: inference.Usage{Completion: 3, Estimated: true}, Done: true,
			Finished: true},
		"error": {Events: 2, Content: 1, Usage: inference.Usage{Completion: 1, Estimated: true}, Done: true,
			Failed: true},
		"runner-error": {Events: 2, Content: 1, Usage: usage(22, 1, 0), Reported: true, Failed: true},
	}
	for name, p := range streams(t) {
		want, ok := tests[name]
		if !ok {
			t.Errorf("%s: no row for this stream", name)
			continue
		}
		want.Border, want.Between = int64(len(p)), true
		if got := scan(p); got != want {
			t.Errorf("%s:\n got %+v\nwant %+v", name, got, want)
		}
	}
}

// Every stream gives the same when it is cut in two anywhere, and byte by byte;
// and its prefixes do when the stream breaks there.
func TestEveryOffset(t *testing.T) {
	t.Parallel()
	for name, p := range streams(t) {
		for _, nl := range []string{"\n", "\r\n", "\r"} {
			if nl != "\n" && name != "vllm" {
				continue
			}
			p := bytes.ReplaceAll(p, []byte("\n"), []byte(nl))
			want := scan(p)
			all := make([]int, len(p))
			for i := range p {
				all[i] = i
				if got := scan(p, i); got != want {
					t.Fatalf("%s %q cut at %d: got %+v, want %+v", name, nl, i, got, want)
				}
			}
			if got := scan(p, all...); got != want {
				t.Fatalf("%s %q byte by byte: got %+v, want %+v", name, nl, got, want)
			}
		}
	}
}

func TestBrokenAtEveryOffset(t *testing.T) {
	t.Parallel()
	p := stream(t, "runner")
	for i := range p {
		var s sse.Scanner
		s.Feed(p[:i])
		whole := bytes.LastIndex(p[:i], []byte("\n\n")) + 2
		if whole < 2 {
			whole = 0
		}
		if s.Border() != int64(whole) || s.AtBorder() != (whole == i) {
			t.Fatalf("after %d bytes: border %d, between %v; want %d", i, s.Border(), s.AtBorder(), whole)
		}
		events := bytes.Count(p[:whole], []byte("data: {"))
		if s.Events() != events {
			t.Fatalf("after %d bytes: %d events, want %d", i, s.Events(), events)
		}
		if u, reported := s.ReportedUsage(); reported != (events > 0) ||
			u.Completion != inference.Tokens(min(events, 3)) {
			t.Fatalf("after %d bytes: usage %+v, %v", i, u, reported)
		}
	}
}

func TestOddEvents(t *testing.T) {
	t.Parallel()
	usage := func(p, c inference.Tokens) inference.Usage { return inference.Usage{Prompt: p, Completion: c} }
	tests := map[string]struct {
		in    string
		want  inference.Usage
		found bool
		other func(s *sse.Scanner) bool
	}{
		"in a string":       {in: `data: {"a":"\"usage\":{\"prompt_tokens\":9}","choices":[]}` + "\n\n"},
		"in another object": {in: `data: {"x":{"usage":{"prompt_tokens":9}}}` + "\n\n"},
		"escaped key": {in: `data: {"us\u0061ge":{"prompt\u005ftokens":9,"completion_tokens":1}}` + "\n\n",
			want: usage(9, 1), found: true},
		"in a choice": {in: `data: {"choices":[{"usage":{"prompt_tokens":9,"completion_tokens":1}}]}` + "\n\n",
			want: usage(9, 1), found: true},
		"floats": {in: `data: {"usage":{"prompt_tokens":9.0,"completion_tokens":1e1}}` + "\n\n",
			want: usage(9, 10), found: true},
		"negative": {in: `data: {"usage":{"prompt_tokens":-9,"completion_tokens":1}}` + "\n\n", want: usage(0, 1),
			found: true},
		"huge": {
			in: `data: {"usage":{"prompt_tokens":1e300,"completion_tokens":99999999999999999999999999999999999999}}` + "\n\n",
		},
		"empty":   {in: `data: {"usage":{}}` + "\n\n"},
		"list":    {in: `data: {"usage":[{"prompt_tokens":9}]}` + "\n\n"},
		"cut off": {in: `data: {"usage":{"prompt_tokens":9,"completion_tokens":1}`},
		"no empty line": {
			in:    `data: {"usage":{"prompt_tokens":9,"completion_tokens":1}}`,
			want:  usage(9, 1),
			found: true,
		},
		"no space": {in: `data:{"usage":{"prompt_tokens":9,"completion_tokens":1}}` + "\n\n", want: usage(9, 1),
			found: true},
		"two data lines": {in: "data: {\"usage\":\ndata: {\"prompt_tokens\":9,\"completion_tokens\":1}}\n\n",
			want: usage(9, 1), found: true},
		"other fields": {in: "id: 1\nevent: x\ndata: {\"usage\":{\"prompt_tokens\":9}}\nretry: 3\n\n",
			want: usage(9, 0), found: true},
		"mark":        {in: "\xEF\xBB\xBFdata: {\"usage\":{\"prompt_tokens\":9}}\n\n", want: usage(9, 0), found: true},
		"other names": {in: "dat: {\"usage\":{\"prompt_tokens\":9}}\ndatas: {\"usage\":{\"prompt_tokens\":9}}\n\n"},
		"comment":     {in: ": {\"usage\":{\"prompt_tokens\":9}}\n\n"},
		"later wins": {
			in: "data: {\"usage\":{\"prompt_tokens\":9}}\n\ndata: {\"usage\":null}\n\ndata: " +
				"{\"usage\":{\"prompt_tokens\":10}}\n\n",
			want: usage(10, 0), found: true,
		},
		"done": {
			in:    "data: [DONE]\n\n",
			other: func(s *sse.Scanner) bool { return s.Done() && s.Events() == 0 },
		},
		"done, spaced": {in: "data:  [DONE] \n\n", other: func(s *sse.Scanner) bool { return s.Done() }},
		"not done": {in: "data: [DONE]x\n\ndata: \"[DONE]\"\n\n",
			other: func(s *sse.Scanner) bool { return !s.Done() && s.Events() == 2 }},
		"error field": {in: "error: {\"code\":500}\n\n",
			other: func(s *sse.Scanner) bool { return s.Failed() && s.Events() == 0 }},
		"null error": {in: "data: {\"error\":null}\n\n", other: func(s *sse.Scanner) bool { return !s.Failed() }},
		"error text": {in: "data: {\"error\":\"x\"}\n\n", other: func(s *sse.Scanner) bool { return s.Failed() }},
		"empty finish": {in: "data: {\"choices\":[{\"finish_reason\":\"\"}]}\n\n",
			other: func(s *sse.Scanner) bool { return !s.Finished() }},
		"empty content": {in: "data: {\"choices\":[{\"delta\":{\"content\":\"\",\"tool_calls\":[]}}]}\n\n",
			other: func(s *sse.Scanner) bool { return s.Content() == 0 }},
		"reasoning": {in: "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"hm\"}}]}\n\n",
			other: func(s *sse.Scanner) bool { return s.Content() == 1 }},
	}
	for name, tt := range tests {
		var s sse.Scanner
		s.Feed([]byte(tt.in))
		s.End()
		got, reported := s.ReportedUsage()
		if got != tt.want || reported != tt.found || tt.other != nil && !tt.other(&s) {
			t.Errorf("%s: %+v, %v; %+v", name, got, reported, look(&s))
		}
	}
}

func TestLongLine(t *testing.T) {
	t.Parallel()
	text := strings.Repeat(`long \" \\ text, `, 1<<20/16)
	p := fmt.Appendf(
		nil,
		"data: {\"choices\":[{\"delta\":{\"content\":\"%s\"}}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n\n",
		text,
	)
	var s sse.Scanner
	cut(p, []int{1 << 10, 1 << 15, 1 << 19}, s.Feed)
	if u, reported := s.ReportedUsage(); !reported || u.Completion != 2 || s.Content() != 1 {
		t.Errorf("%+v, %v", u, reported)
	}
}

// A stream costs two allocations, for the form of its events, however long it is.
// Not parallel: it counts allocations.
func TestScannerKeepsOneForm(t *testing.T) {
	for name, p := range streams(t) {
		if allocs := testing.AllocsPerRun(10, func() {
			var s sse.Scanner
			for range 10 {
				s.Feed(p)
			}
			s.End()
		}); allocs > 2 {
			t.Errorf("%s: %v allocations", name, allocs)
		}
	}
}

// A hostile stream costs time in proportion to its length.
func TestNoQuadraticTime(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"\r", "\\n", `\"`, "\n", "data:\n", `{"a":[`, `"`, ":"} {
		var s sse.Scanner
		s.Feed([]byte("data: {\"a\":\"" + strings.Repeat(unit, 2<<20/len(unit))))
		s.End()
	}
}

func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	all := streams(t)
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	rapid.Check(t, func(t *rapid.T) {
		p := all[rapid.SampledFrom(names).Draw(t, "stream")]
		cuts := rapid.SliceOfN(rapid.IntRange(0, len(p)), 0, 40).Draw(t, "places")
		slices.Sort(cuts)
		if got, want := scan(p, cuts...), scan(p); got != want {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	})
}

func TestScanJSON(t *testing.T) {
	t.Parallel()
	body := `{"id":"x","choices":[{"message":{"content":"usage"},"finish_reason":"stop"}],` +
		`"usage":{"completion_tokens":6,"prompt_tokens":22,"prompt_tokens_details":{"cached_tokens":21}}}`
	want := inference.Usage{Prompt: 22, Completion: 6, Cached: 21}
	for i := range body {
		var s sse.JSONScanner
		s.Feed([]byte(body[:i]))
		if s.Complete() {
			t.Fatalf("complete after %d bytes", i)
		}
		s.Feed([]byte(body[i:]))
		if got, reported := s.ReportedUsage(); got != want || !reported || !s.Complete() || s.Failed() {
			t.Fatalf("cut at %d: %+v, %v", i, got, reported)
		}
	}
	if u, reported := sse.ScanJSON([]byte(`{"object":"list","usage":{"prompt_tokens":2,"total_tokens":2}}`)); !reported ||
		u.Prompt != 2 {
		t.Errorf("embeddings: %+v, %v", u, reported)
	}
	for _, bad := range []string{``, `null`, `[{"usage":{"prompt_tokens":2}}]`, `{"usage":null}`, `<html>`} {
		if u, reported := sse.ScanJSON([]byte(bad)); reported {
			t.Errorf("%s: %+v", bad, u)
		}
	}
}

func BenchmarkScanner(b *testing.B) {
	p := stream(b, "vllm")
	b.SetBytes(int64(len(p)))
	b.ReportAllocs()
	for b.Loop() {
		var s sse.Scanner
		s.Feed(p)
		s.End()
	}
}

// Events of one form are read once; whatever differs from the form is read again.
func TestRepeatedForm(t *testing.T) {
	t.Parallel()
	event := func(content, rest string) string {
		return `data: {"id":"1","choices":[{"index":0,"delta":{"content":"` + content + `"}` + rest + "\n\n"
	}
	const tail = `,"finish_reason":null}]}`
	var s sse.Scanner
	for _, step := range []struct {
		p                string
		events, content  int
		finished, failed bool
	}{
		{event("one", tail), 1, 1, false, false},
		{event(" two", tail), 2, 2, false, false},
		{event("", tail), 3, 2, false, false},
		{event(`\"three\"`, tail), 4, 3, false, false},
		{event(" four", tail)[:70], 4, 3, false, false},
		{event(" four", tail)[70:], 5, 4, false, false},
		{event(" five", tail) + event(" six", tail), 7, 6, false, false},
		{event(" seven", `,"finish_reason":"stop"}]}`), 8, 7, true, false},
		{event(" eight", tail[:len(tail)-1]), 9, 7, true, false}, // not JSON
		{event(" nine", tail), 10, 8, true, false},
		{`data: {"error":{"message":"x"}}` + "\n\n", 11, 8, true, true},
	} {
		s.Feed([]byte(step.p))
		if s.Events() != step.events || s.Content() != step.content || s.Finished() != step.finished ||
			s.Failed() != step.failed {
			t.Errorf(
				"after %q: %d events, %d with content, %v, %v; want %+v",
				step.p,
				s.Events(),
				s.Content(),
				s.Finished(),
				s.Failed(),
				step,
			)
		}
	}
}

// TestAnswers: what shows that an answer is one of its kind.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][4]bool{ // chat, vectors, text, scores
		`{"choices":[{"message":{"content":""}}]}`:         {true, false, false, false},
		`{"choices":[{"text":""}]}`:                        {true, false, false, false},
		`{"choices":[{"delta":null,"message":null}]}`:      {},
		`{"choices":[]}`:                                   {},
		`{"choices":[{"finish_reason":"stop"},1,"x"]}`:     {},
		`{"data":[{"embedding":[0.5,1]}]}`:                 {false, true, false, false},
		`{"data":[{"index":0,"embedding":"AAAA"}]}`:        {false, true, false, false},
		`{"data":[{"embedding":[[1],[2]]}]}`:               {false, true, false, false},
		`{"data":[{"embedding":[]},{"embedding":""}]}`:     {},
		`{"data":[1,[{"embedding":[1]}]]}`:                 {},
		`{"embedding":[1]}`:                                {},
		`{"text":""}`:                                      {false, false, true, false},
		`{"masks":[[1]],"scores":"[1]"}`:                   {false, false, true, false},
		`{"text":null,"a":{"text":"x"},"b":[{"text":1}]}`:  {},
		`{"results":[{"index":0,"relevance_score":-1.5}]}`: {false, false, false, true},
		`{"results":[{"relevance_score":"1"},{"x":{"relevance_score":1}},{"relevance_score":null}]}`: {},
		`{"results":[],"relevance_score":1}`: {},
	} {
		for i := range in {
			var s sse.JSONScanner
			s.Feed([]byte(in[:i]))
			s.Feed([]byte(in[i:]))
			if got := [4]bool{s.Chat(), s.Vectors() > 0, s.Text(), s.Scores() > 0}; got != want || !s.Complete() {
				t.Fatalf("%s cut at %d: %v, want %v", in, i, got, want)
			}
		}
	}
}

// TestBrokenEvents: data that is no object is distinguished from data that is empty.
func TestBrokenEvents(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{
		"data:\n\n": false, "data: \n\n": false, ": x\n\n": false, "data: [DONE]\n\n": false, "data: {}\n\n": false,
		"data: {\ndata: }\n\n": false, "data: x\n\n": true, "data: \"x\"\n\n": true, "data: {}{}\n\n": true,
		"data: {\"a\":1,}\n\n": true, "data: [1]\n\n": true,
		"data: {\"choices\":[{\"delta\":{\"content\":\"a\tb\"}}]}\n\n": true,
	} {
		var s sse.Scanner
		s.Feed([]byte(in))
		s.End()
		if s.Broken() != want {
			t.Errorf("%q: %v", in, s.Broken())
		}
	}
}
