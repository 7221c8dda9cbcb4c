package responses

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/tuttinode/tutti/server/gateway/chatface"
)

// part is one part of a message's content, with the fields of all kinds that are mapped.
type part struct {
	Type       string          `json:"type"`
	Text       json.RawMessage `json:"text"`
	Refusal    json.RawMessage `json:"refusal"`
	ImageURL   json.RawMessage `json:"image_url"`
	Detail     json.RawMessage `json:"detail"`
	FileID     json.RawMessage `json:"file_id"`
	FileURL    json.RawMessage `json:"file_url"`
	FileData   json.RawMessage `json:"file_data"`
	Filename   json.RawMessage `json:"filename"`
	InputAudio json.RawMessage `json:"input_audio"`
}

// partMapper appends a part as chat completions have it. It returns which field is wrong, and why.
type partMapper func(dst []byte, p *part) (out []byte, field, why string)

// content maps the content of the present item.
func (m *messages) content(raw json.RawMessage, mapPart partMapper) (json.RawMessage, error) {
	at := m.at
	m.at += ".content"
	out, err := m.parts(raw, mapPart)
	m.at = at
	return out, err
}

// parts maps a text or a list of parts. One text alone becomes a string, which every server
// understands.
func (m *messages) parts(raw json.RawMessage, mapPart partMapper) (json.RawMessage, error) {
	if kindOf(raw) == kindString {
		return raw, nil
	}
	var in []part
	if kindOf(raw) != kindList {
		return nil, m.refuse("", "a string or a list of parts was expected")
	}
	if err := chatface.Decode(m.at, raw, &in); err != nil {
		return nil, err
	}
	if len(in) == 0 {
		return json.RawMessage(`""`), nil
	}
	out := []byte{'['}
	for i := range in {
		if i > 0 {
			out = append(out, ',')
		}
		var field, why string
		if out, field, why = mapPart(out, &in[i]); why != "" {
			return nil, m.refuse("["+strconv.Itoa(i)+"]"+field, why)
		}
	}
	if len(in) == 1 && kindOf(in[0].Text) == kindString {
		return in[0].Text, nil
	}
	return append(out, ']'), nil
}

// textPart maps a part of a content that is text alone.
func textPart(dst []byte, p *part) (out []byte, field, why string) {
	switch p.Type {
	case "input_text", "output_text", "text":
		if kindOf(p.Text) != kindString {
			return nil, ".text", "a string was expected"
		}
		return append(appendField(append(dst, `{"type":"text"`...), "text", p.Text), '}'), "", ""
	}
	return nil, ".type", fmt.Sprintf("chat completions take only text here, and no %.64q", p.Type)
}

// assistantPart maps a part of what the assistant said.
func assistantPart(dst []byte, p *part) (out []byte, field, why string) {
	if p.Type != "refusal" {
		return textPart(dst, p)
	}
	if kindOf(p.Refusal) != kindString {
		return nil, ".refusal", "a string was expected"
	}
	return append(appendField(append(dst, `{"type":"refusal"`...), "refusal", p.Refusal), '}'), "", ""
}

// userPart maps a part of what the user said.
func userPart(dst []byte, p *part) (out []byte, field, why string) {
	if !empty(p.FileID) {
		return nil, ".file_id", "the gateway keeps no files: send a data: address"
	}
	switch p.Type {
	case "input_image":
		if kindOf(p.ImageURL) != kindString {
			return nil, ".image_url", "an https: or data: address was expected"
		}
		dst = appendCompact(append(dst, `{"type":"image_url","image_url":{"url":`...), p.ImageURL)
		if kindOf(p.Detail) != kindNull {
			dst = appendField(dst, "detail", p.Detail)
		}
		return append(dst, "}}"...), "", ""
	case "input_audio":
		if kindOf(p.InputAudio) != kindObject {
			return nil, ".input_audio", "an object with data and format was expected"
		}
		return append(appendField(append(dst, `{"type":"input_audio"`...), "input_audio", p.InputAudio), '}'), "", ""
	case "input_file":
		return filePart(dst, p)
	}
	return textPart(dst, p)
}

func filePart(dst []byte, p *part) (out []byte, field, why string) {
	switch {
	case !empty(p.FileURL):
		return nil, ".file_url", "chat completions take files only as file_data"
	case kindOf(p.FileData) != kindString:
		return nil, ".file_data", "a data: address was expected"
	}
	dst = appendCompact(append(dst, `{"type":"file","file":{"file_data":`...), p.FileData)
	if kindOf(p.Filename) != kindNull {
		dst = appendField(dst, "filename", p.Filename)
	}
	return append(dst, "}}"...), "", ""
}
