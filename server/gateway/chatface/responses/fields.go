package responses

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/tuttinode/tutti/server/gateway/chatface"
)

// fields are those of a request's object that are not null.
type fields map[string]json.RawMessage

func readFields(body []byte) (fields, error) {
	var in fields
	if err := chatface.Decode("", body, &in); err != nil {
		return nil, err
	}
	maps.DeleteFunc(in, func(_ string, raw json.RawMessage) bool { return kindOf(raw) == kindNull })
	return in, nil
}

// passedField is a field that is passed on, with the kind of its value.
type passedField struct {
	name string
	kind byte
}

// passed are the fields that chat completions have by the same name and in the same form, with the
// kind of their value; 0 is left to the model's server. Those of the last two lines are no fields of
// OpenAI's API, but clients of other servers send them. Read-only.
var passed = []passedField{
	{"model", kindString}, {"temperature", kindNumber}, {"top_p", kindNumber},
	{"user", kindString}, {"safety_identifier", kindString}, {"prompt_cache_key", kindString},
	{"prompt_cache_retention", kindString},
	{"seed", kindNumber}, {"stop", 0}, {"frequency_penalty", kindNumber}, {"presence_penalty", kindNumber},
	{"logit_bias", kindObject}, {"top_k", kindNumber}, {"min_p", kindNumber}, {"repetition_penalty", kindNumber},
	{"chat_template_kwargs", kindObject}, {"models", kindList}, {"provider", kindObject},
}

// handled are the fields that other functions read. Read-only.
var handled = []string{
	"input", "instructions", "max_output_tokens", "max_tool_calls", "metadata", "include", "previous_response_id",
	"reasoning", "service_tier", "store", "stream", "stream_options", "text", "tool_choice", "tools", "top_logprobs",
	"truncation", "parallel_tool_calls", "background", "prompt_cache_options", "client_metadata",
}

// refused are fields that chat completions have no word for. Read-only.
var refused = map[string]string{
	"conversation": "the gateway keeps no conversations: send previous_response_id, or all items in input",
	"prompt":       "the gateway has no prompt templates: send instructions and input",
	"context_management": "the gateway does not shorten conversations: leave items out of input " +
		"when they are too many",
	"moderation": "the gateway runs no moderation: ask a model for it in a request of its own",
}

// check refuses fields that cannot be mapped, the first by name.
func (f fields) check() error {
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if why, ok := refused[name]; ok {
			if empty(f[name]) {
				continue
			}
			return chatface.Refuse(name, why)
		}
		if slices.Contains(handled, name) {
			continue
		}
		i := slices.IndexFunc(passed, func(p passedField) bool { return p.name == name })
		if i < 0 {
			return chatface.Refuse(shortName(name), "the Responses API of this gateway has no such field")
		}
		if want := passed[i].kind; want != 0 && kindOf(f[name]) != want {
			return chatface.Refuse(name, kindNames[want]+" was expected")
		}
	}
	return nil
}

// shortName bounds a name from outside for an error.
func shortName(name string) string { return fmt.Sprintf("%.64s", name) }

// empty reports whether a value might as well not be there.
func empty(raw json.RawMessage) bool {
	var b [8]byte
	text := raw
	if len(raw) < len(b) {
		text = appendCompact(b[:0], raw)
	}
	switch string(bytes.TrimSpace(text)) {
	case "null", "false", `""`, "[]", "{}":
		return true
	}
	return false
}

// text reads a string, "" where there is none.
func (f fields) text(name string) (string, error) {
	raw, ok := f[name]
	if !ok {
		return "", nil
	}
	var s string
	if kindOf(raw) != kindString || json.Unmarshal(raw, &s) != nil {
		return "", chatface.Refuse(name, "a string was expected")
	}
	return s, nil
}

// flag reads a bool.
func (f fields) flag(name string, otherwise bool) (bool, error) {
	raw, ok := f[name]
	if !ok {
		return otherwise, nil
	}
	var yes bool
	if json.Unmarshal(raw, &yes) != nil {
		return false, chatface.Refuse(name, "true or false was expected")
	}
	return yes, nil
}

// count reads a whole number between least and most; -1 where there is none.
func (f fields) count(name string, least, most int64) (int64, error) {
	raw, ok := f[name]
	if !ok {
		return -1, nil
	}
	n, err := strconv.ParseInt(string(bytes.TrimSpace(raw)), 10, 64)
	if err != nil || n < least || n > most {
		return 0, chatface.Refuse(name, fmt.Sprintf("a whole number from %d to %d was expected", least, most))
	}
	return n, nil
}

// word reads a string that is one of some words; the first is the default.
func (f fields) word(name, otherwise string, known ...string) (string, error) {
	s, err := f.text(name)
	switch {
	case err != nil:
		return "", err
	case s == "":
		return otherwise, nil
	case slices.Contains(known, s):
		return s, nil
	}
	return "", chatface.Refuse(name, fmt.Sprintf("%.64q is none of %q", s, known))
}
