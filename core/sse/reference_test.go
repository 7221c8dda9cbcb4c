package sse_test

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/sse"
)

// The reference reads a stream as a whole, in the words of the standard, and
// each event's JSON with encoding/json, in the order of its members.

// events are the data of a stream's events; the last may lack its empty line.
// failed counts those with a field "error".
func events(p string) (data []string, failed int) {
	p = strings.TrimPrefix(p, "\xEF\xBB\xBF")
	p = strings.ReplaceAll(strings.ReplaceAll(p, "\r\n", "\n"), "\r", "\n")
	var lines []string
	hasError := false
	end := func() {
		if hasError {
			failed++
		}
		if lines != nil {
			data = append(data, strings.Join(lines, "\n"))
		}
		lines, hasError = nil, false
	}
	for _, line := range strings.Split(p, "\n") {
		name, value, _ := strings.Cut(line, ":")
		switch {
		case line == "":
			end()
		case name == "data":
			lines = append(lines, strings.TrimPrefix(value, " "))
		case name == "error":
			hasError = true
		}
	}
	end()
	return data, failed
}

// object keeps its members in order, repeated ones too.
type object []member

type member struct {
	key   string
	value any
}

func decode(dec *json.Decoder) any {
	tok, err := dec.Token()
	if err != nil {
		return nil
	}
	switch tok {
	case json.Delim('{'):
		o := object{}
		for dec.More() {
			key, _ := dec.Token()
			name, _ := key.(string)
			o = append(o, member{name, decode(dec)})
		}
		_, _ = dec.Token()
		return o
	case json.Delim('['):
		list := []any{}
		for dec.More() {
			list = append(list, decode(dec))
		}
		_, _ = dec.Token()
		return list
	}
	return tok
}

// reported is what one event reports.
type reported struct {
	usage                             inference.Usage
	hasUsage, content, finished, fail bool
}

func tell(data string) (r reported) {
	dec := json.NewDecoder(strings.NewReader(data))
	dec.UseNumber()
	top, _ := decode(dec).(object)
	for _, m := range top {
		switch m.key {
		case "usage":
			r.takeUsage(m.value)
		case "error":
			r.fail = r.fail || m.value != nil
		case "choices":
			list, _ := m.value.([]any)
			for _, c := range list {
				r.choice(c)
			}
		}
	}
	return r
}

func (r *reported) choice(value any) {
	o, _ := value.(object)
	for _, m := range o {
		text, _ := m.value.(string)
		switch m.key {
		case "finish_reason":
			r.finished = r.finished || text != ""
		case "text":
			r.content = r.content || text != ""
		case "usage":
			r.takeUsage(m.value)
		case "delta", "message":
			r.delta(m.value)
		}
	}
}

func (r *reported) delta(value any) {
	o, _ := value.(object)
	for _, m := range o {
		text, _ := m.value.(string)
		list, _ := m.value.([]any)
		_, isObject := m.value.(object)
		switch m.key {
		case "content", "reasoning_content", "reasoning", "refusal":
			r.content = r.content || text != "" || len(list) > 0
		case "tool_calls", "function_call":
			r.content = r.content || isObject || len(list) > 0
		}
	}
}

func (r *reported) takeUsage(value any) {
	var u inference.Usage
	any := false
	o, _ := value.(object)
	for _, m := range o {
		switch m.key {
		case "prompt_tokens":
			any = count(m.value, &u.Prompt) || any
		case "completion_tokens":
			any = count(m.value, &u.Completion) || any
		case "prompt_tokens_details":
			details, _ := m.value.(object)
			for _, d := range details {
				if d.key == "cached_tokens" {
					count(d.value, &u.Cached)
				}
			}
		}
	}
	if any {
		r.usage, r.hasUsage = u, true
	}
}

func count(value any, into *inference.Tokens) bool {
	n, ok := value.(json.Number)
	v, err := strconv.ParseFloat(n.String(), 64)
	if !ok || err != nil || v < 0 || v > 1<<50 || len(n) > 32 {
		return false
	}
	*into = inference.Tokens(v)
	return true
}

// expect is what a scanner is to tell of a stream; false where an event is no
// JSON, of which nothing is promised.
func expect(p string) (seen, bool) {
	data, failed := events(p)
	want := seen{Failed: failed > 0}
	for _, d := range data {
		if strings.Trim(d, " \t\n") == "[DONE]" {
			want.Done = true
			continue
		}
		if !json.Valid([]byte(d)) {
			return want, false
		}
		r := tell(d)
		want.Events++
		if r.content {
			want.Content++
		}
		if r.hasUsage {
			want.Usage, want.Reported = r.usage, true
		}
		want.Finished = want.Finished || r.finished
		want.Failed = want.Failed || r.fail
	}
	if !want.Reported {
		want.Usage = inference.Usage{Completion: inference.Tokens(want.Content), Estimated: true}
	}
	return want, true
}

func FuzzScanner(f *testing.F) {
	for _, p := range streams(f) {
		f.Add(p, uint16(7), uint16(100))
	}
	for _, s := range []string{
		"data:\r\rdata: {\"choices\":[{\"finish_reason\":\"a\\\\\"}]}\r\n\r\n", ": x\n\nerror: y\n\n",
		"\xEF\xBB\xBFdata: 1\n\n",
		"data: {\"usage\":{\"prompt_tokens\":1,\"prompt_tokens\":2e0,\"prompt_tokens_details\":{\"cached_tokens\":3}}}\n\n",
		"data: {\"error\":[],\"choices\":[[],1,{\"delta\":{\"tool_calls\":[{}],\"content\":[1]}}]}\n\n",
	} {
		f.Add([]byte(s), uint16(3), uint16(5))
	}
	f.Fuzz(func(t *testing.T, p []byte, a, b uint16) {
		got := scan(p)
		if again := scan(p, int(a), int(a)+int(b)); again != got {
			t.Fatalf("cut at %d and %d: got %+v, want %+v", a, int(a)+int(b), again, got)
		}
		want, ok := expect(string(p))
		if !ok {
			return
		}
		want.Border, want.Between = got.Border, got.Between
		if got != want {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	})
}

func FuzzScanJSON(f *testing.F) {
	f.Add([]byte(`{"usage":{"prompt_tokens":1}}`), uint16(4))
	f.Add([]byte(`{"choices":[{"message":{"content":"x"},"usage":{"completion_tokens":1}}]}`), uint16(9))
	f.Fuzz(func(t *testing.T, p []byte, at uint16) {
		got, ok := sse.ScanJSON(p)
		var s sse.JSONScanner
		cut(p, []int{int(at)}, s.Feed)
		if u, o := s.ReportedUsage(); u != got || o != ok {
			t.Fatalf("cut at %d: %+v, %v; want %+v, %v", at, u, o, got, ok)
		}
		if !json.Valid(p) {
			return
		}
		if want := tell(string(p)); ok != want.hasUsage || ok && got != want.usage {
			t.Fatalf("got %+v, %v; want %+v, %v", got, ok, want.usage, want.hasUsage)
		}
		if complete := bytes.HasPrefix(bytes.TrimLeft(p, " \t\r\n"), []byte("{")); s.Complete() != complete {
			t.Fatalf("complete: %v, want %v", s.Complete(), complete)
		}
	})
}
