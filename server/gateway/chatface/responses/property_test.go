package responses_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// anyText is a text that JSON has to escape.
var anyText = rapid.StringN(0, 12, 40) // Read-only.

// some draws one of several.
func some[T any](t *rapid.T, name string, all ...T) T { return rapid.SampledFrom(all).Draw(t, name) }

// fields is a JSON object.
type fields = map[string]any

// drawRequest draws a request in the form in which each meaning has one spelling.
func drawRequest(t *rapid.T) fields {
	r := fields{"model": anyText.Draw(t, "model")}
	maybe := func(name string, v func() any) {
		if rapid.Bool().Draw(t, name+"?") {
			r[name] = v()
		}
	}
	maybe("instructions", func() any { return anyText.Draw(t, "instructions") })
	maybe("temperature", func() any { return float64(rapid.IntRange(0, 8).Draw(t, "temperature")) / 4 })
	maybe("max_output_tokens", func() any { return float64(rapid.IntRange(1, 9000).Draw(t, "tokens")) })
	maybe("user", func() any { return anyText.Draw(t, "user") })
	maybe("stream", func() any { return true })
	maybe("reasoning", func() any { return fields{"effort": some(t, "effort", "low", "high")} })
	maybe("top_logprobs", func() any { return float64(rapid.IntRange(1, 20).Draw(t, "top")) })
	maybe("text", func() any {
		if rapid.Bool().Draw(t, "object") {
			return fields{"format": fields{"type": "json_object"}}
		}
		return fields{"format": fields{"type": "json_schema", "name": "n",
			"schema": fields{"title": anyText.Draw(t, "title")}, "strict": rapid.Bool().Draw(t, "strict")}}
	})
	maybe("tools", func() any {
		var list []any
		for i := range rapid.IntRange(1, 3).Draw(t, "tools") {
			list = append(list, fields{"type": "function", "name": fmt.Sprint("f", i), "description": anyText.Draw(t, "says"),
				"parameters": fields{"type": "object"}})
		}
		return list
	})
	if _, ok := r["tools"]; ok {
		maybe("parallel_tool_calls", func() any { return rapid.Bool().Draw(t, "parallel") })
		maybe("tool_choice", func() any {
			return some[any](t, "choice", "none", "auto", "required", fields{"type": "function", "name": "f0"})
		})
	}
	r["input"] = drawInput(t)
	return r
}

func drawInput(t *rapid.T) (items []any) {
	calls := 0
	for range rapid.IntRange(1, 6).Draw(t, "messages") {
		switch some(t, "role", "user", "system", "assistant") {
		case "user":
			items = append(items, fields{"type": "message", "role": "user", "content": drawContent(t)})
		case "system":
			items = append(items, fields{"type": "message", "role": "system", "content": anyText.Draw(t, "text")})
		default:
			if rapid.Bool().Draw(t, "reasoning") {
				items = append(items, fields{"type": "reasoning", "content": []any{
					fields{"type": "reasoning_text", "text": "r" + anyText.Draw(t, "thought")}}})
			}
			items = append(items, fields{"type": "message", "role": "assistant", "content": "a" + anyText.Draw(t, "said")})
			first := calls
			for range rapid.IntRange(0, 2).Draw(t, "calls") {
				items = append(items, fields{"type": "function_call", "call_id": fmt.Sprint("c", calls),
					"name": "f0", "arguments": anyText.Draw(t, "arguments")})
				calls++
			}
			for i := first; i < calls; i++ {
				items = append(items, fields{"type": "function_call_output", "call_id": fmt.Sprint("c", i),
					"output": anyText.Draw(t, "output")})
			}
		}
	}
	return items
}

func drawContent(t *rapid.T) any {
	if rapid.Bool().Draw(t, "text alone") {
		return anyText.Draw(t, "text")
	}
	return []any{
		fields{"type": "input_text", "text": anyText.Draw(t, "text")},
		some(t, "part", fields{"type": "input_image", "image_url": "data:," + anyText.Draw(t, "image"), "detail": "low"},
			fields{"type": "input_text", "text": anyText.Draw(t, "text")},
			fields{"type": "input_file", "file_data": "data:,", "filename": anyText.Draw(t, "file")},
			fields{"type": "input_audio", "input_audio": fields{"data": "AA", "format": "wav"}}),
	}
}

// object returns a field that is an object.
func objectIn(v any, name string) fields {
	o, _ := v.(fields)[name].(fields)
	return o
}

// backward maps a chat to the request that it came from.
func backward(chat fields) fields {
	r := fields{}
	var items []any
	messages, _ := chat["messages"].([]any)
	for i, m := range messages {
		message, _ := m.(fields)
		if i == 0 && message["role"] == "system" && message["content"] != nil && chat["x-instructions"] == true {
			r["instructions"] = message["content"]
			continue
		}
		items = append(items, backwardMessage(message)...)
	}
	r["input"] = items
	for name, v := range chat {
		switch name {
		case "messages", "stream_options", "logprobs", "x-instructions":
		case "max_tokens":
			r["max_output_tokens"] = v
		case "reasoning_effort":
			r["reasoning"] = fields{"effort": v}
		case "response_format":
			format := fields{"type": v.(fields)["type"]}
			for k, x := range objectIn(v, "json_schema") {
				format[k] = x
			}
			r["text"] = fields{"format": format}
		case "tools":
			r[name] = flattened(v)
		case "tool_choice":
			if o, ok := v.(fields); ok {
				v = flat(o)
			}
			r[name] = v
		default:
			r[name] = v
		}
	}
	return r
}

// flat lifts the fields of "function" up.
func flat(tool fields) fields {
	out := fields{"type": tool["type"]}
	for k, v := range objectIn(tool, "function") {
		out[k] = v
	}
	return out
}

func flattened(v any) (out []any) {
	list, _ := v.([]any)
	for _, one := range list {
		out = append(out, flat(one.(fields)))
	}
	return out
}

func backwardMessage(m fields) (items []any) {
	switch m["role"] {
	case "tool":
		return []any{fields{"type": "function_call_output", "call_id": m["tool_call_id"], "output": m["content"]}}
	case "assistant":
		if thought, ok := m["reasoning_content"]; ok {
			items = append(items, fields{"type": "reasoning", "content": []any{
				fields{"type": "reasoning_text", "text": thought}}})
		}
		items = append(items, fields{"type": "message", "role": "assistant", "content": m["content"]})
		calls, _ := m["tool_calls"].([]any)
		for _, c := range calls {
			f := objectIn(c, "function")
			items = append(items, fields{"type": "function_call", "call_id": c.(fields)["id"], "name": f["name"],
				"arguments": f["arguments"]})
		}
		return items
	}
	content := m["content"]
	if parts, ok := content.([]any); ok {
		var out []any
		for _, p := range parts {
			out = append(out, backwardPart(p.(fields)))
		}
		content = out
	}
	return []any{fields{"type": "message", "role": m["role"], "content": content}}
}

func backwardPart(p fields) fields {
	switch p["type"] {
	case "text":
		return fields{"type": "input_text", "text": p["text"]}
	case "image_url":
		image := objectIn(p, "image_url")
		return fields{"type": "input_image", "image_url": image["url"], "detail": image["detail"]}
	case "file":
		file := objectIn(p, "file")
		return fields{"type": "input_file", "file_data": file["file_data"], "filename": file["filename"]}
	}
	return p
}

// No part of a request is lost on its way to chat completions: it can be told from the chat.
func TestNoRequestLosesAnything(t *testing.T) {
	t.Parallel()
	f, _ := newFace()
	rapid.Check(t, func(rt *rapid.T) {
		want := drawRequest(rt)
		text, err := json.Marshal(want)
		if err != nil {
			rt.Fatal(err)
		}
		c, err := ask(f, "a", string(text))
		if err != nil {
			rt.Fatalf("%s: %v", text, err)
		}
		var chat fields
		if err := json.Unmarshal(c.Chat(), &chat); err != nil {
			rt.Fatalf("%s: %v", c.Chat(), err)
		}
		_, chat["x-instructions"] = want["instructions"]
		var plain fields
		_ = json.Unmarshal(text, &plain)
		if got := backward(chat); !reflect.DeepEqual(got, plain) {
			back, _ := json.Marshal(got)
			rt.Fatalf("\n got %s\nwant %s", back, text)
		}
	})
}

// Whatever a model's server streams, in whatever pieces and order, the events keep the API's order.
func TestEveryStreamKeepsTheOrder(t *testing.T) {
	t.Parallel()
	f, _ := newFace()
	rapid.Check(t, func(rt *rapid.T) {
		c, err := ask(f, "a", streamRequest)
		if err != nil {
			rt.Fatal(err)
		}
		s := c.Stream()
		var out []byte
		said := map[string]*strings.Builder{"content": {}, "reasoning_content": {}, "refusal": {}}
		for range rapid.IntRange(0, 12).Draw(rt, "events") {
			d := fields{}
			for name, all := range said {
				if rapid.Bool().Draw(rt, name) {
					more := anyText.Draw(rt, "text")
					all.WriteString(more)
					d[name] = more
				}
			}
			if rapid.Bool().Draw(rt, "call") {
				d["tool_calls"] = []any{fields{"index": rapid.IntRange(0, 2).Draw(rt, "index"), "id": "c", "function": fields{
					"name": some(rt, "name", "", "f"), "arguments": anyText.Draw(rt, "arguments")}}}
			}
			text, _ := json.Marshal(fields{"choices": []any{fields{"index": 0, "delta": d, "finish_reason": nil}}})
			if out, err = s.Event(out, text); err != nil {
				rt.Fatal(err)
			}
		}
		if rapid.Bool().Draw(rt, "failed") {
			out = s.End(out, []byte(`{"message":"m","type":"server_error"}`))
		} else {
			if out, err = s.Event(out, []byte(finish(some(rt, "why", "stop", "length", "tool_calls")))); err != nil {
				rt.Fatal(err)
			}
			out = s.End(out, nil)
		}
		o := check(t, readEvents(t, out))
		var text, refusal strings.Builder
		for _, it := range o.Output {
			for _, p := range it.Content {
				if it.Type == "message" {
					text.WriteString(p.Text)
					refusal.WriteString(p.Refusal)
				}
			}
		}
		if text.String() != said["content"].String() || refusal.String() != said["refusal"].String() {
			rt.Fatalf("the answer says %q, not %q", text.String(), said["content"])
		}
	})
}
