package responses_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/chatface/responses"
)

// Requests as the API's documentation shows them, and the chats that they become.
var requests = []struct{ name, in, chat string }{ // Read-only.
	{"a text", `{"model":"m","input":"Tell me a story."}`,
		`{"messages":[{"role":"user","content":"Tell me a story."}],"model":"m"}`},
	{"instructions and bounds", `{"model":"m","instructions":"Talk like a pirate.","input":"Hi","max_output_tokens":50,
		"temperature":0.2,"top_p":1,"user":"u1","metadata":{"a":"b"},"truncation":"disabled","service_tier":"auto",
		"store":false,"background":false,"conversation":null}`,
		`{"messages":[{"role":"system","content":"Talk like a pirate."},{"role":"user","content":"Hi"}],"model":"m",
		"temperature":0.2,"top_p":1,"user":"u1","max_tokens":50}`},
	{"a stream", `{"model":"m","input":"Hi","stream":true,"stream_options":{"include_obfuscation":false}}`,
		`{"messages":[{"role":"user","content":"Hi"}],"model":"m","stream":true,"stream_options":{"include_usage":true}}`},
	{"messages", `{"model":"m","input":[
		{"role":"developer","content":"Be short."},
		{"type":"message","role":"user","content":[{"type":"input_text","text":"one"},{"type":"input_text","text":"two"}]},
		{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[
			{"type":"output_text","text":"three","annotations":[]}]},
		{"role":"assistant","content":[{"type":"output_text","text":"a"},{"type":"refusal","refusal":"no"}]},
		{"role":"user","content":[{"type":"input_text","text":"on\u00e9"}]}]}`,
		`{"messages":[{"role":"system","content":"Be short."},
		{"role":"user","content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]},
		{"role":"assistant","content":"three"},
		{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"refusal","refusal":"no"}]},
		{"role":"user","content":"oné"}],"model":"m"}`},
	{"an image", `{"model":"m","input":[{"role":"user","content":[
		{"type":"input_text","text":"What is it?"},
		{"type":"input_image","image_url":"https://example.com/boat.jpg"},
		{"type":"input_image","image_url":"data:image/png;base64,AAAA","detail":"low"}]}]}`,
		`{"messages":[{"role":"user","content":[{"type":"text","text":"What is it?"},
		{"type":"image_url","image_url":{"url":"https://example.com/boat.jpg"}},
		{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA","detail":"low"}}]}],"model":"m"}`},
	{"a file and a sound", `{"model":"m","input":[{"role":"user","content":[
		{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,AAAA"},
		{"type":"input_audio","input_audio":{"data":"AAAA","format":"wav"}}]}]}`,
		`{"messages":[{"role":"user","content":[
		{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,AAAA"}},
		{"type":"input_audio","input_audio":{"data":"AAAA","format":"wav"}}]}],"model":"m"}`},
	{"tools", `{"model":"m","input":"weather?","tools":[{"type":"function","name":"get_weather","description":"d",
		"parameters":{"type":"object","properties":{}},"strict":true},{"type":"function","name":"now"}],
		"tool_choice":{"type":"function","name":"now"},"parallel_tool_calls":false}`,
		`{"messages":[{"role":"user","content":"weather?"}],"model":"m","tools":[
		{"type":"function","function":{"name":"get_weather","description":"d",
			"parameters":{"type":"object","properties":{}},"strict":true}},
		{"type":"function","function":{"name":"now"}}],
		"tool_choice":{"type":"function","function":{"name":"now"}},"parallel_tool_calls":false}`},
	{"some tools allowed", `{"model":"m","input":"hi","tools":[{"type":"function","name":"a"},
		{"type":"function","name":"b"}],
		"tool_choice":{"type":"allowed_tools","mode":"required","tools":[{"type":"function","name":"b"}]}}`,
		`{"messages":[{"role":"user","content":"hi"}],"model":"m","tools":[{"type":"function","function":{"name":"b"}}],
		"tool_choice":"required"}`},
	{"tools that assistants offer to every model", `{"model":"m","input":"hi","tools":[{"type":"function","name":"a"},
		{"type":"namespace","name":"agents","tools":[{"type":"function","name":"b"}]},{"type":"web_search"}]}`,
		`{"messages":[{"role":"user","content":"hi"}],"model":"m","tools":[{"type":"function","function":{"name":"a"}}]}`},
	{"choices about no tools", `{"model":"m","input":"hi","tools":[],"tool_choice":"auto","parallel_tool_calls":true}`,
		`{"messages":[{"role":"user","content":"hi"}],"model":"m"}`},
	{"calls and what they returned", `{"model":"m","input":[
		{"role":"user","content":"weather?"},
		{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"short"}],
			"content":[{"type":"reasoning_text","text":"I ask"},{"type":"reasoning_text","text":"both."}]},
		{"type":"message","role":"assistant","content":"Let me see."},
		{"type":"function_call","id":"fc_1","call_id":"call_1","name":"w","arguments":"{\"c\":\"Rome\"}"},
		{"type":"function_call","call_id":"call_2","name":"w","arguments":"{}"},
		{"type":"function_call_output","call_id":"call_1","output":"14"},
		{"type":"function_call_output","call_id":"call_2","output":[{"type":"input_text","text":"15"}]}]}`,
		`{"messages":[{"role":"user","content":"weather?"},
		{"role":"assistant","content":"Let me see.","reasoning_content":"I ask\nboth.","tool_calls":[
			{"id":"call_1","type":"function","function":{"name":"w","arguments":"{\"c\":\"Rome\"}"}},
			{"id":"call_2","type":"function","function":{"name":"w","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"call_1","content":"14"},
		{"role":"tool","tool_call_id":"call_2","content":"15"}],"model":"m"}`},
	{"calls without words, and reasoning alone", `{"model":"m","input":[
		{"type":"function_call","call_id":"c","name":"w","arguments":"{}"},
		{"type":"message","role":"assistant","content":"said after the call"},
		{"type":"function_call_output","call_id":"c","output":""},
		{"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":"thought"}]},
		{"role":"user","content":"go on"}]}`,
		`{"messages":[{"role":"assistant","content":null,"tool_calls":[
			{"id":"c","type":"function","function":{"name":"w","arguments":"{}"}}]},
		{"role":"assistant","content":"said after the call"},
		{"role":"tool","tool_call_id":"c","content":""},
		{"role":"assistant","content":"","reasoning_content":"thought"},
		{"role":"user","content":"go on"}],"model":"m"}`},
	{"an object by schema", `{"model":"m","input":"hi","text":{"verbosity":"low","format":{"type":"json_schema",
		"name":"event","schema":{"type":"object"},"strict":true}}}`,
		`{"messages":[{"role":"user","content":"hi"}],"model":"m","verbosity":"low","response_format":{
		"type":"json_schema","json_schema":{"name":"event","schema":{"type":"object"},"strict":true}}}`},
	{"any object", `{"model":"m","input":"hi","text":{"format":{"type":"json_object"}}}`,
		`{"messages":[{"role":"user","content":"hi"}],"model":"m","response_format":{"type":"json_object"}}`},
	{"plain text by name", `{"model":"m","input":"hi","text":{"format":{"type":"text"}},"reasoning":null,"tools":null}`,
		`{"messages":[{"role":"user","content":"hi"}],"model":"m"}`},
	{"reasoning and log probabilities", `{"model":"m","input":"hi","reasoning":{"effort":"high","summary":"auto"},
		"include":["reasoning.encrypted_content","message.output_text.logprobs"],"top_logprobs":3}`,
		`{"messages":[{"role":"user","content":"hi"}],"model":"m","logprobs":true,"top_logprobs":3,
		"reasoning_effort":"high"}`},
	{"log probabilities by include", `{"model":"m","input":"hi","include":["message.output_text.logprobs"]}`,
		`{"messages":[{"role":"user","content":"hi"}],"model":"m","logprobs":true}`},
	{"log probabilities by number", `{"model":"m","input":"hi","top_logprobs":2,"context_management":[]}`,
		`{"messages":[{"role":"user","content":"hi"}],"model":"m","logprobs":true,"top_logprobs":2}`},
	{"what chat completions have as well", `{"model":"m","input":"hi","seed":7,"stop":["x"],"prompt_cache_key":"k",
		"safety_identifier":"s","client_metadata":{"a":"b"}}`,
		`{"messages":[{"role":"user","content":"hi"}],"model":"m","seed":7,"stop":["x"],"prompt_cache_key":"k",
		"safety_identifier":"s"}`},
}

func TestRequests(t *testing.T) {
	t.Parallel()
	for _, row := range requests {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			f, _ := newFace()
			c := mustAsk(t, f, "a", row.in)
			sameJSON(t, "chat", c.Chat(), row.chat)
			if (c.Stream() != nil) != strings.Contains(row.chat, `"stream":true`) {
				t.Error("the answer's form is not the one asked for")
			}
		})
	}
}

// What cannot be mapped is refused by the name of its field.
func TestRefusals(t *testing.T) {
	t.Parallel()
	f, _ := newFace()
	const fields = `{"model":"m","input":"hi",%s}`
	const item = `{"model":"m","input":[{"role":"user","content":"hi"},%s]}`
	const userPart = `{"model":"m","input":[{"role":"user","content":[%s]}]}`
	for _, row := range []struct{ form, part, field string }{
		{`%s`, `[]`, ""}, {`%s`, `{`, ""}, {`%s`, `{"model":"m"}`, "input"}, {`%s`, `{"model":"m","input":[]}`, "input"},
		{`%s`, `{"model":"m","input":7}`, "input"},
		{fields, `"background":true`, "background"}, {fields, `"conversation":"conv_1"`, "conversation"},
		{fields, `"conversation":{"id":"conv_1"}`, "conversation"}, {fields, `"prompt":{"id":"pmpt_1"}`, "prompt"},
		{fields, `"context_management":[{"type":"compaction"}]`, "context_management"},
		{fields, `"moderation":{"model":"x"}`, "moderation"}, {fields, `"truncation":"auto"`, "truncation"},
		{fields, `"service_tier":"flex"`, "service_tier"}, {fields, `"n":2`, "n"}, {fields, `"messages":[]`, "messages"},
		{fields, `"max_output_tokens":0`, "max_output_tokens"}, {fields, `"max_output_tokens":"9"`, "max_output_tokens"},
		{fields, `"top_logprobs":21`, "top_logprobs"}, {fields, `"temperature":"hot"`, "temperature"},
		{fields, `"stream":"yes"`, "stream"}, {fields, `"store":1`, "store"}, {fields, `"instructions":[]`, "instructions"},
		{fields, `"include":["file_search_call.results"]`, "include[0]"}, {fields, `"include":"x"`, "include"},
		{fields, `"metadata":{"a":1}`, "metadata"},
		{fields, `"metadata":{"a":"` + strings.Repeat("x", 513) + `"}`, "metadata"},
		{fields, `"reasoning":{"effort":1}`, "reasoning"}, {fields, `"text":"x"`, "text"},
		{fields, `"text":{"verbosity":1}`, "text.verbosity"}, {fields, `"text":{"format":"x"}`, "text.format"},
		{fields, `"text":{"format":{"type":"grammar"}}`, "text.format.type"},
		{fields, `"text":{"format":{"type":"json_schema","schema":{}}}`, "text.format.name"},
		{fields, `"text":{"format":{"type":"json_schema","name":"n"}}`, "text.format.schema"},
		{fields, `"tools":[{"type":"web_search"}]`, "tools[0].type"},
		{fields, `"tools":[{"type":"function","name":"f"},{"type":"file_search","vector_store_ids":[]}]`, "tools[1].type"},
		{fields, `"tools":[{"type":"code_interpreter","container":"c"}]`, "tools[0].type"},
		{fields, `"tools":[{"type":"computer_use_preview"}]`, "tools[0].type"},
		{fields, `"tools":[{"type":"mcp"}]`, "tools[0].type"}, {fields, `"tools":[{"type":"custom"}]`, "tools[0].type"},
		{fields, `"tools":[{"type":"function"}]`, "tools[0].name"}, {fields, `"tools":{}`, "tools"},
		{fields, `"tools":[{"type":"function","name":"f","defer_loading":true}]`, "tools[0].defer_loading"},
		{fields, `"tool_choice":"required"`, "tool_choice"}, {fields, `"tool_choice":"any"`, "tool_choice"},
		{fields, `"tool_choice":{"type":"file_search"}`, "tool_choice.type"},
		{fields, `"tool_choice":{"type":"function","name":"f"}`, "tool_choice.name"},
		{fields, `"parallel_tool_calls":"no"`, "parallel_tool_calls"},
		{fields, `"previous_response_id":"resp_1"`, "previous_response_id"},
		{item, `7`, "input[1]"}, {item, `{"type":7}`, "input[1].type"}, {userPart, `7`, "input[0].content"},
		{item, `{}`, "input[1].type"}, {item, `{"type":"web_search_call"}`, "input[1].type"},
		{item, `{"type":"computer_call_output"}`, "input[1].type"}, {item, `{"role":"tool","content":""}`, "input[1].role"},
		{item, `{"role":"user"}`, "input[1].content"}, {item, `{"type":"item_reference","id":"msg_1"}`, "input[1].id"},
		{item, `{"type":"function_call","name":"f","arguments":"{}"}`, "input[1].call_id"},
		{item, `{"type":"function_call","call_id":"c","arguments":"{}"}`, "input[1].name"},
		{item, `{"type":"function_call","call_id":"c","name":"f"}`, "input[1].arguments"},
		{item, `{"type":"function_call_output","call_id":"c","output":"x"}`, "input[1].call_id"},
		{item, `{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output",
			"call_id":"c","output":[{"type":"input_image","image_url":"data:,"}]}`, "input[2].output[0].type"},
		{item, `{"type":"reasoning","id":"r","summary":[],"encrypted_content":"gAAA"}`, "input[1].encrypted_content"},
		{item, `{"role":"system","content":[{"type":"input_image","image_url":"data:,"}]}`, "input[1].content[0].type"},
		{userPart, `{"type":"input_image","file_id":"file-1"}`, "input[0].content[0].file_id"},
		{userPart, `{"type":"input_image"}`, "input[0].content[0].image_url"},
		{userPart, `{"type":"input_file","file_url":"https://example.com/a.pdf"}`, "input[0].content[0].file_url"},
		{userPart, `{"type":"input_file","file_id":"file-1"}`, "input[0].content[0].file_id"},
		{userPart, `{"type":"input_video"}`, "input[0].content[0].type"},
		{userPart, `{"type":"input_text","text":"a"},{"type":"input_text"}`, "input[0].content[1].text"},
	} {
		body := fmt.Sprintf(row.form, row.part)
		_, err := ask(f, "a", body)
		if err == nil {
			t.Errorf("%s is taken", body)
			continue
		}
		if got := fieldOf(t, err); got != row.field {
			t.Errorf("%s: the field is %q, not %q", body, got, row.field)
		}
		if text := err.Error(); strings.Contains(text, "Go ") || strings.Contains(text, "json:") {
			t.Errorf("%s: the error names a type of the program: %s", body, text)
		}
	}
}

// Without keys the gateway cannot tell one client's responses from another's: nothing is kept.
func TestNothingIsKeptWithoutKeys(t *testing.T) {
	t.Parallel()
	f, _ := faceWith(responses.Options{Keys: keys{}})
	const plain = `{"model":"m","input":"hi"%s}`
	if o := answered(t, mustAsk(t, f, "any", fmt.Sprintf(plain, "")), chatText); o.Store {
		t.Errorf("%+v", o)
	}
	for _, field := range []string{`"store":true`, `"previous_response_id":"resp_1"`} {
		_, err := ask(f, "any", fmt.Sprintf(plain, ","+field))
		if fault.CodeOf(err) != fault.ResponsesNotKept || !strings.Contains(field, fieldOf(t, err)) {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// TestManyTools: tools are bounded. Without a bound, and with a search over all tools for each that is allowed, one
// request took minutes of the gateway's time.
func TestManyTools(t *testing.T) {
	t.Parallel()
	const most = 16 << 10
	ask := func(tools int) error {
		var list, allowed strings.Builder
		for i := range tools {
			fmt.Fprintf(&list, `,{"type":"function","name":"n%d"}`, i)
			fmt.Fprintf(&allowed, `,{"type":"function","name":"n%d"}`, tools-1-i)
		}
		face, _ := newFace()
		c, err := ask(face, "a", `{"model":"m","input":"x","tools":[`+list.String()[1:]+`],"tool_choice":`+
			`{"type":"allowed_tools","mode":"auto","tools":[`+allowed.String()[1:]+`]}}`)
		if err == nil && !strings.Contains(string(c.Chat()), `"tools":[{"type":"function","function":{"name":"n16383"`) {
			t.Errorf("%.200s", c.Chat())
		}
		return err
	}
	if err := ask(most); err != nil {
		t.Error(err)
	}
	if err := ask(most + 1); fault.CodeOf(err) != fault.RequestUnreadable {
		t.Error(err)
	}
}
