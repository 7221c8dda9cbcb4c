package pipeline

import (
	"bytes"

	"github.com/tuttinode/tutti/core/inference"
)

// featureOf returns the feature that a field of this value asks for.
func featureOf(field string, value []byte) inference.FeatureSet {
	switch {
	case empty(value):
	case field == "tools", field == "functions":
		return inference.Tools
	case field == "logprobs":
		return inference.Logprobs
	case field == "response_format":
		schema := false
		_ = Members(value, func(name []byte, from, to int) error { // of what is no object there is none
			if string(name) == "type" {
				schema = bytes.Equal(value[from:to], []byte(`"json_schema"`))
			}
			return nil
		})
		if schema {
			return inference.JSONSchema
		}
	}
	return 0
}

// mediaNeeds returns what it takes to read a part of a message that has such a field.
func mediaNeeds(field []byte) inference.FeatureSet {
	switch string(field) {
	case "image_url":
		return inference.Vision
	case "input_audio":
		return inference.AudioInput
	}
	return 0
}

// Needs are what the request asks of a language model.
func (r *Request) Needs() inference.Needs {
	n := inference.Needs{Features: r.Features}
	// A completion may have several prompts, each of which has the context for itself.
	if r.Operation == inference.Chat || r.Operation == inference.Completion && r.N == 1 {
		n.Tokens = r.InputTokens + r.MaxTokens
	}
	return n
}
