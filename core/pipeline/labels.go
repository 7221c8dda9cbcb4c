package pipeline

import (
	"encoding/json"
	"strings"
)

// Labels are what a client calls a request: its own user, from "user" or "safety_identifier", and the tags of
// "metadata".
type Labels struct {
	User string
	Tags []string
}

// maxLabels bounds the labels of a request, as JSON in bytes: what is longer has none.
const maxLabels = 8 << 10

// labelText returns the first of some values that is a text, "" for none.
func labelText(values ...[]byte) string {
	for _, v := range values {
		if len(v) == 0 || len(v) > maxLabels || v[0] != '"' {
			continue
		}
		var text string
		if json.Unmarshal(v, &text) == nil && text != "" {
			return text
		}
	}
	return ""
}

// labelTags returns the tags of a request's metadata: a list of texts, or a text with commas between. Every other form
// is the model server's.
func labelTags(metadata []byte) []string {
	if len(metadata) == 0 || len(metadata) > maxLabels || metadata[0] != '{' {
		return nil
	}
	var m struct {
		Tags json.RawMessage `json:"tags"`
	}
	if json.Unmarshal(metadata, &m) != nil || len(m.Tags) == 0 {
		return nil
	}
	var list []string
	if json.Unmarshal(m.Tags, &list) == nil {
		return list
	}
	if text := labelText(m.Tags); text != "" {
		return strings.Split(text, ",")
	}
	return nil
}
