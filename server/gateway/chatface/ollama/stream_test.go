package ollama

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/chatface"
)

func delta(fields string) string {
	return `{"choices":[{"index":0,"delta":{` + fields + `},"finish_reason":null}]}`
}

// mapped returns a stream that is mapped.
func mapped(t testing.TB, c chatface.Conversation, chunks ...string) (out []byte) {
	t.Helper()
	s := c.Stream()
	for _, data := range chunks {
		var err error
		if out, err = s.Event(out, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	return s.End(out, nil)
}

const (
	finished = `{"choices":[{"delta":{},"finish_reason":"stop"}]}`
	counted  = `{"choices":[],"usage":{"prompt_tokens":26,"completion_tokens":3}}`
)

// Streams as the API's documentation shows them.
func TestStreams(t *testing.T) {
	t.Parallel()
	head := func(second int) string {
		return fmt.Sprintf(`{"model":"m","created_at":"2026-01-02T03:04:%02dZ",`, 5+second)
	}
	end := func(second, prompt, rest int) string {
		return fmt.Sprintf(`"done":true,"done_reason":"stop","total_duration":%d000000000,"prompt_eval_count":26,`+
			`"prompt_eval_duration":%d000000000,"eval_count":3,"eval_duration":%d000000000}`, second, prompt, rest)
	}
	for name, row := range map[string]struct {
		with    reader
		request string
		chunks  []string
		want    []string
	}{
		"a chat": {readChat, `{` + hi + `}`,
			[]string{delta(`"role":"assistant"`), delta(`"content":"The"`), delta(`"content":" \"sky\""`), finished, counted},
			[]string{head(2) + `"message":{"role":"assistant","content":"The"},"done":false}`,
				head(3) + `"message":{"role":"assistant","content":" \"sky\""},"done":false}`,
				head(5) + `"message":{"role":"assistant","content":""},` + end(5, 1, 4)}},
		"a generation that thinks": {readGenerate, `{"model":"m","prompt":"p"}`,
			[]string{delta(`"reasoning_content":"hm"`), delta(`"content":"a"`), finished, counted},
			[]string{head(2) + `"response":"","thinking":"hm","done":false}`, head(3) + `"response":"a","done":false}`,
				head(5) + `"response":"",` + end(5, 1, 4)}},
		"calls": {readChat, `{` + hi + `}`,
			[]string{delta(`"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{\"a\":"}}]`),
				delta(`"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]`),
				delta(`"tool_calls":[{"index":1,"function":{"name":"g","arguments":""}}]`), finished, counted},
			[]string{
				head(4) + `"message":{"role":"assistant","content":"","tool_calls":[{"id":"c","function":{"index":0,"name":"f",` +
					`"arguments":{"a":1}}}]},"done":false}`,
				head(6) + `"message":{"role":"assistant","content":"","tool_calls":[{"id":"call_1","function":{"index":1,` +
					`"name":"g","arguments":{}}}]},"done":false}`,
				head(7) + `"message":{"role":"assistant","content":""},` + end(7, 1, 6)}},
		"log probabilities": {readChat, `{` + hi + `,"think":false}`,
			[]string{`{"choices":[{"delta":{"content":"a","reasoning":"hm"},"logprobs":{"content":[{"token":"a"}]}}]}`,
				finished, counted},
			[]string{head(2) + `"message":{"role":"assistant","content":"a"},"logprobs":[{"token":"a"}],"done":false}`,
				head(4) + `"message":{"role":"assistant","content":""},` + end(4, 1, 3)}},
	} {
		lines := strings.Split(strings.TrimSuffix(string(mapped(t, read(t, row.with, row.request), row.chunks...)), "\n"),
			"\n")
		if len(lines) != len(row.want) {
			t.Errorf("%s: %d lines, want %d:\n%s", name, len(lines), len(row.want), strings.Join(lines, "\n"))
			continue
		}
		for i := range lines {
			var got, want map[string]any
			if err := json.Unmarshal([]byte(lines[i]), &got); err != nil {
				t.Errorf("%s: %v: %s", name, err, lines[i])
			}
			if err := json.Unmarshal([]byte(row.want[i]), &want); err != nil {
				t.Fatal(err)
			}
			// How often the clock is read is no part of the answer.
			for _, field := range []string{"created_at", "total_duration", "prompt_eval_duration", "eval_duration"} {
				if (got[field] == nil) != (want[field] == nil) {
					t.Errorf("%s: %s is %v, want %v", name, field, got[field], want[field])
				}
				delete(got, field)
				delete(want, field)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s:\n%s\nwant\n%s", name, lines[i], row.want[i])
			}
		}
	}
}

// The parts of an answer's time are its whole, in nanoseconds of the clock.
func TestDurations(t *testing.T) {
	t.Parallel()
	all := mapped(t, read(t, readChat, `{`+hi+`}`), delta(`"content":"a"`), finished, counted)
	lines := strings.Split(strings.TrimSuffix(string(all), "\n"), "\n")
	var last figures
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		t.Fatal(err)
	}
	if last.Total != 3e9 || last.PromptDuration != 1e9 || last.Duration != 2e9 {
		t.Errorf("%+v", last)
	}
}

func TestStreamThatFails(t *testing.T) {
	t.Parallel()
	s := read(t, readChat, `{`+hi+`}`).Stream()
	if got := string(s.End(nil, []byte(`{"message":"gone","status":503}`))); got != `{"error":"gone"}`+"\n" {
		t.Error(got)
	}
	if got := string(s.End(nil, []byte(`5`))); got != `{"error":"Bad Gateway"}`+"\n" {
		t.Error(got)
	}
	ping := s.(chatface.Pinger).Ping(nil)
	if !strings.Contains(string(ping), `"message":{"role":"assistant","content":""},"done":false}`) ||
		s.Mime() != ndjsonType {
		t.Errorf("%s %s", ping, s.Mime())
	}
	call := func(index int) []byte {
		return []byte(delta(fmt.Sprintf(`"tool_calls":[{"index":%d,"function":{"name":"f"}}]`, index)))
	}
	var err error
	for _, index := range []int{0, 1, 0} {
		_, err = s.Event(nil, call(index))
	}
	if fault.CodeOf(err) != fault.AnswerUnreadable {
		t.Errorf("a call that goes on after its end is %v", err)
	}
	s = read(t, readChat, `{`+hi+`}`).Stream()
	long := strings.Repeat("x", 1<<20)
	for range 5 {
		_, err = s.Event(nil, []byte(delta(`"tool_calls":[{"index":0,"function":{"name":"f","arguments":"`+long+`"}}]`)))
	}
	if fault.CodeOf(err) != fault.AnswerUnreadable {
		t.Errorf("endless arguments are %v", err)
	}
	if read(t, readChat, `{`+hi+`,"stream":false}`).Stream() != nil {
		t.Error("a stream that was not asked for")
	}
}

// Messages that go through chat completions and back are the same.
func TestRequestsLoseNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var in []message
		for range rapid.IntRange(1, 6).Draw(rt, "messages") {
			m := message{Role: rapid.SampledFrom([]string{"system", "user", "assistant"}).Draw(rt, "role"),
				Content: rapid.StringN(1, 20, -1).Draw(rt, "content")}
			switch m.Role {
			case "user":
				m.Images = rapid.SliceOfN(rapid.StringMatching("/9j/[A-Z]{2}"), 0, 2).Draw(rt, "images")
			case "assistant":
				m.Thinking = rapid.String().Draw(rt, "thinking")
			}
			in = append(in, m)
			if m.Role != "assistant" {
				continue
			}
			calls := rapid.IntRange(0, 3).Draw(rt, "calls")
			for i := range calls {
				arguments, _ := json.Marshal(rapid.MapOfN(rapid.String(), rapid.String(), 0, 2).Draw(rt, "arguments"))
				last := &in[len(in)-1]
				last.ToolCalls = append(last.ToolCalls, call{Function: functionCall{Name: fmt.Sprint("f", i),
					Arguments: arguments}})
			}
			for i := range calls {
				in = append(in, message{Role: "tool", ToolName: fmt.Sprint("f", calls-1-i), Content: rapid.String().Draw(rt,
					"result")})
			}
		}
		body, _ := json.Marshal(map[string]any{"model": "m", "messages": in})
		c, err := readChat(&face{now: clock()}, start, body)
		if err != nil {
			rt.Fatalf("%v\n%s", err, body)
		}
		got, _ := json.Marshal(back(rt, c.Chat()))
		want, _ := json.Marshal(in)
		if string(got) != string(want) {
			rt.Errorf("%s\nwant\n%s", got, want)
		}
	})
}

// back maps the gateway's own request to the API's form.
func back(rt *rapid.T, body []byte) (out []message) {
	var own struct {
		Messages []struct {
			Role, Content    any
			ReasoningContent string `json:"reasoning_content"`
			ToolCallID       string `json:"tool_call_id"`
			ToolCalls        []struct {
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
	}
	if err := json.Unmarshal(body, &own); err != nil {
		rt.Fatal(err)
	}
	names := make(map[string]string)
	for _, o := range own.Messages {
		m := message{Role: o.Role.(string), Thinking: o.ReasoningContent, ToolName: names[o.ToolCallID]}
		if text, ok := o.Content.(string); ok {
			m.Content = text
		} else {
			for _, p := range o.Content.([]any) {
				if p := p.(map[string]any); p["type"] == "text" {
					m.Content = p["text"].(string)
				} else {
					url := p["image_url"].(map[string]any)["url"].(string)
					m.Images = append(m.Images, strings.TrimPrefix(url, "data:image/jpeg;base64,"))
				}
			}
		}
		if m.Role == "user" && m.Images == nil {
			m.Images = []string{}
		}
		for _, c := range o.ToolCalls {
			names[c.ID] = c.Function.Name
			m.ToolCalls = append(m.ToolCalls, call{Function: functionCall{Name: c.Function.Name,
				Arguments: json.RawMessage(c.Function.Arguments)}})
		}
		out = append(out, m)
	}
	return out
}

func FuzzRequest(f *testing.F) {
	f.Add([]byte(`{` + hi + `,"options":{"num_predict":5,"stop":"a","min_p":1},"format":{},"think":"low"}`))
	f.Add([]byte(`{"model":"m","prompt":"a","input":["a"],"images":["/9j/"],"messages":[{"role":"assistant",` +
		`"tool_calls":[{"function":{"name":"f","arguments":{}}}]},{"role":"tool","content":"a"}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, with := range []reader{readChat, readGenerate, readEmbed, readOldEmbed, readShow} {
			c, err := with(&face{now: clock()}, start, body)
			if err != nil {
				if fault.CodeOf(err) != fault.RequestUnreadable {
					t.Errorf("%v", err)
				}
			} else if own := c.Chat(); own != nil && !json.Valid(own) {
				t.Errorf("%s becomes %s", body, own)
			}
		}
	})
}

func FuzzEvent(f *testing.F) {
	f.Add([]byte(delta(`"content":"a"`)), []byte(delta(`"tool_calls":[{"index":0,"id":"a","function":{"name":"f"}}]`)))
	f.Add([]byte(delta(`"reasoning":"a"`)), []byte(counted))
	f.Add([]byte(`{"choices":[{"delta":{"refusal":"a"},"logprobs":{"content":[]}}]}`), []byte(finished))
	f.Fuzz(func(t *testing.T, one, two []byte) {
		s := read(t, readChat, `{`+hi+`}`).Stream()
		var out []byte
		for _, data := range [][]byte{one, two} {
			var err error
			if out, err = s.Event(out, data); err != nil {
				return
			}
		}
		out = s.End(out, nil)
		for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\n"), "\n") {
			var r reply
			if err := json.Unmarshal([]byte(line), &r); err != nil || r.Model != "m" || r.Message == nil {
				t.Errorf("%v: %q", err, line)
			}
		}
	})
}
