package responses

import (
	"encoding/json"

	"github.com/tuttinode/tutti/server/gateway/chatface"
)

// echoed are the fields that a response repeats of its request, with what stands there where the
// request has none. Read-only.
var echoed = []struct{ name, otherwise string }{
	{"background", "false"}, {"instructions", "null"}, {"max_output_tokens", "null"}, {"max_tool_calls", "null"},
	{"metadata", "{}"}, {"model", "null"}, {"parallel_tool_calls", "true"}, {"previous_response_id", "null"},
	{"prompt_cache_key", "null"}, {"safety_identifier", "null"}, {"temperature", "null"}, {"tool_choice", `"auto"`},
	{"tools", "[]"}, {"top_logprobs", "0"}, {"top_p", "null"}, {"user", "null"},
}

// writeEcho writes what the response repeats of the request.
func (q *request) writeEcho() error {
	for _, e := range echoed {
		raw, ok := q.fields[e.name]
		if !ok {
			raw = json.RawMessage(e.otherwise)
		}
		q.echo = appendField(q.echo, e.name, raw)
	}
	q.echo = append(q.echo, `,"service_tier":"default","truncation":"disabled"`...)
	var reasoning struct {
		Effort  json.RawMessage `json:"effort"`
		Summary json.RawMessage `json:"summary"`
	}
	if raw, ok := q.fields["reasoning"]; ok && json.Unmarshal(raw, &reasoning) != nil {
		return chatface.Refuse("reasoning", "an object was expected")
	}
	q.echo = appendCompact(append(q.echo, `,"reasoning":{"effort":`...), reasoning.Effort)
	q.echo = append(q.echo, `,"summary":null}`...) // none is made
	text := struct {
		Format    json.RawMessage `json:"format"`
		Verbosity json.RawMessage `json:"verbosity"`
	}{}
	if raw, ok := q.fields["text"]; ok && json.Unmarshal(raw, &text) != nil {
		return chatface.Refuse("text", "an object was expected")
	}
	if kindOf(text.Format) == kindNull {
		text.Format = json.RawMessage(`{"type":"text"}`)
	}
	q.echo = appendCompact(append(q.echo, `,"text":{"format":`...), text.Format)
	if kindOf(text.Verbosity) != kindNull {
		q.echo = appendField(q.echo, "verbosity", text.Verbosity)
	}
	q.echo = append(q.echo, '}')
	return nil
}
