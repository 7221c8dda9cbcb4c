package messages_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// block and turn are a conversation in the API's form, as it may be written without loss.
type (
	block = map[string]any
	turn  struct {
		Role    string  `json:"role"`
		Content []block `json:"content"`
	}
)

func text(rt *rapid.T) block {
	return block{"type": "text", "text": rapid.String().Draw(rt, "text")}
}

// object draws a JSON object of one level.
func object(rt *rapid.T) map[string]any {
	out := make(map[string]any)
	for k, v := range rapid.MapOfN(rapid.String(), rapid.String(), 0, 3).Draw(rt, "object") {
		out[k] = v
	}
	return out
}

// conversation draws turns that alternate. Results of tools are those of the calls before.
func conversation(rt *rapid.T) (out []turn) {
	calls := 0
	for range rapid.IntRange(0, 4).Draw(rt, "pairs") {
		out = append(out, turn{"user", userBlocks(rt, out)})
		blocks := []block{}
		if rapid.Bool().Draw(rt, "thinks") {
			blocks = append(blocks, block{"type": "thinking", "signature": "",
				"thinking": rapid.StringN(1, 9, -1).Draw(rt, "thinking")})
		}
		for range rapid.IntRange(1, 3).Draw(rt, "texts") {
			blocks = append(blocks, text(rt))
		}
		for range rapid.IntRange(0, 3).Draw(rt, "calls") {
			blocks = append(blocks, block{"type": "tool_use", "id": fmt.Sprint("t", calls),
				"name": rapid.StringN(1, 9, -1).Draw(rt, "name"), "input": object(rt)})
			calls++
		}
		out = append(out, turn{"assistant", blocks})
	}
	return append(out, turn{"user", userBlocks(rt, out)})
}

func userBlocks(rt *rapid.T, before []turn) []block {
	out := []block{}
	if len(before) > 0 {
		for _, b := range before[len(before)-1].Content {
			if b["type"] == "tool_use" {
				out = append(out, block{"type": "tool_result", "tool_use_id": b["id"], "content": []block{text(rt)}})
			}
		}
	}
	for range rapid.IntRange(1, 3).Draw(rt, "blocks") {
		if rapid.Bool().Draw(rt, "image") {
			out = append(out, block{"type": "image", "source": block{"type": "base64", "media_type": "image/png",
				"data": rapid.StringMatching("[A-Za-z0-9+/]{0,12}").Draw(rt, "data")}})
		} else {
			out = append(out, text(rt))
		}
	}
	return out
}

// ownMessage is a message of the gateway's own request.
type ownMessage struct {
	Role      string `json:"role"`
	Content   any    `json:"content"`
	Thinking  string `json:"reasoning_content"`
	ID        string `json:"tool_call_id"`
	ToolCalls []struct {
		ID       string `json:"id"`
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
}

// back maps the gateway's own request to the API's form.
func back(messages []ownMessage) (out []turn) {
	for _, m := range messages {
		role := m.Role
		if role == "tool" {
			role = "user"
		}
		if len(out) == 0 || out[len(out)-1].Role != role {
			out = append(out, turn{Role: role, Content: []block{}})
		}
		to := &out[len(out)-1].Content
		if m.Thinking != "" {
			*to = append(*to, block{"type": "thinking", "thinking": m.Thinking, "signature": ""})
		}
		if m.Role == "tool" {
			*to = append(*to, block{"type": "tool_result", "tool_use_id": m.ID, "content": parts(m.Content)})
			continue
		}
		*to = append(*to, parts(m.Content)...)
		for _, c := range m.ToolCalls {
			input := make(map[string]any)
			_ = json.Unmarshal([]byte(c.Function.Arguments), &input)
			*to = append(*to, block{"type": "tool_use", "id": c.ID, "name": c.Function.Name, "input": input})
		}
	}
	return out
}

// parts maps a content.
func parts(content any) []block {
	if s, ok := content.(string); ok {
		return []block{{"type": "text", "text": s}}
	}
	out := []block{}
	for _, p := range content.([]any) {
		p := p.(map[string]any)
		if p["type"] == "text" {
			out = append(out, block{"type": "text", "text": p["text"]})
			continue
		}
		url := p["image_url"].(map[string]any)["url"].(string)
		out = append(out, block{"type": "image", "source": block{"type": "base64", "media_type": "image/png",
			"data": url[len("data:image/png;base64,"):]}})
	}
	return out
}

// A conversation that goes through chat completions and back is the same.
func TestRequestsLoseNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		turns := conversation(rt)
		body, err := json.Marshal(map[string]any{"model": "m", "max_tokens": 1, "messages": turns})
		if err != nil {
			rt.Fatal(err)
		}
		c, err := face.Request(nil, body)
		if err != nil {
			rt.Fatalf("%v\n%s", err, body)
		}
		var own struct{ Messages []ownMessage }
		if err := json.Unmarshal(c.Chat(), &own); err != nil {
			rt.Fatal(err)
		}
		got, _ := json.Marshal(back(own.Messages))
		want, _ := json.Marshal(turns)
		if string(got) != string(want) {
			rt.Errorf("%s\nwant\n%s", got, want)
		}
	})
}

// An answer is the same whole and in any pieces, and has all that the model wrote.
func TestAnswersLoseNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		content := rapid.String().Draw(rt, "content")
		thinking := rapid.String().Draw(rt, "thinking")
		want := []any{}
		var chunks []string
		add := func(field, text string) {
			for len(text) > 0 {
				n := rapid.IntRange(1, len([]rune(text))).Draw(rt, "piece")
				piece, _ := json.Marshal(string([]rune(text)[:n]))
				text = string([]rune(text)[n:])
				chunks = append(chunks, delta(fmt.Sprintf(`"%s":%s`, field, piece)))
			}
		}
		if add("reasoning_content", thinking); thinking != "" {
			want = append(want, map[string]any{"type": "thinking", "thinking": thinking, "signature": ""})
		}
		if add("content", content); content != "" {
			want = append(want, map[string]any{"type": "text", "text": content})
		}
		calls := []any{}
		for i := range rapid.IntRange(0, 3).Draw(rt, "calls") {
			id, input := fmt.Sprint("c", i), object(rt)
			want = append(want, map[string]any{"type": "tool_use", "id": id, "name": "f", "input": input})
			arguments, _ := json.Marshal(input)
			half := rapid.IntRange(0, len(arguments)).Draw(rt, "half")
			for half > 0 && half < len(arguments) && arguments[half]&0xc0 == 0x80 {
				half--
			}
			for j, part := range [][]byte{arguments[:half], arguments[half:]} {
				quoted, _ := json.Marshal(string(part))
				head := `"id":"` + id + `",`
				name := `"name":"f",`
				if j > 0 {
					head, name = "", ""
				}
				chunks = append(chunks, delta(fmt.Sprintf(`"tool_calls":[{"index":%d,%s"function":{%s"arguments":%s}}]`, i, head,
					name, quoted)))
			}
			calls = append(calls, map[string]any{"id": id,
				"function": map[string]any{"name": "f", "arguments": string(arguments)}})
		}
		message, _ := json.Marshal(map[string]any{"content": content, "reasoning_content": thinking, "tool_calls": calls})
		usage := `"usage":{"prompt_tokens":5,"completion_tokens":2}`
		_, body, err := read(t, request(hi+`,"thinking":{"type":"enabled"}`)).Answer([]byte(
			`{"id":"chatcmpl-1","choices":[{"message":` + string(message) + `,"finish_reason":"length"}],` + usage + `}`))
		if err != nil {
			rt.Fatal(err)
		}
		var whole map[string]any
		if err := json.Unmarshal(body, &whole); err != nil || !reflect.DeepEqual(whole["content"], want) {
			rt.Fatalf("%v: %v\nwant\n%v", err, whole["content"], want)
		}
		chunks = append(chunks, `{"id":"chatcmpl-1","choices":[{"delta":{},"finish_reason":"length"}]}`,
			`{"id":"chatcmpl-1","choices":[],`+usage+`}`)
		streamed := accumulate(t, mapped(t, read(t, request(hi+`,"stream":true,"thinking":{"type":"enabled"}`)), chunks...))
		if !reflect.DeepEqual(streamed, whole) {
			rt.Errorf("%v\nwant\n%v", streamed, whole)
		}
	})
}
