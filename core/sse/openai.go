package sse

import (
	"bytes"
	"encoding/json"
)

// OpenAI is a Filter that converts the stream of a chat from the existing network's form to
// OpenAI's: events without "object", a finish reason that is "" until the last, a role in every
// event or "" for one, and running usage. Unknown fields stay. A stream in OpenAI's form passes
// unchanged.
//
// The zero value is ready.
type OpenAI struct {
	// Usage: the client asks for an event with usage at the end.
	Usage bool
	// Network: the stream comes from a node of the existing network. For any other, the first event
	// decides: only runners of the network's contract send "" as a finish reason.
	Network bool

	parser parser
	held   []byte
	form   form
	// roles are the choices, by index, that have had a role.
	roles [maxRoles]bool
	// common are the fields that every event has, for the event that has only usage.
	common  map[string]json.RawMessage
	usage   json.RawMessage
	failed  bool
	written bool
}

// form is whether a stream is rewritten.
type form uint8

const (
	formUnknown form = iota
	formUnchanged
	formRewritten
)

// maxRoles bounds the choices whose roles are counted, further ones keep theirs, and the
// choices of one event that is rewritten.
const maxRoles = 16

// maxRewritten bounds what is held back of an event of the network, maxFirst of any other first
// event, in bytes.
const (
	maxRewritten = 80 << 10
	maxFirst     = 8 << 10
)

// objectName is the kind of object that the events of a chat are in OpenAI's form.
const objectName = `"chat.completion.chunk"`

// Unchanged reports whether the stream is known to pass unchanged.
func (f *OpenAI) Unchanged() bool { return f.form == formUnchanged && len(f.held) == 0 }

// Failed reports whether the stream ended with the network's finish reason for an answer that
// failed. The event is left out: OpenAI's clients know no such reason.
func (f *OpenAI) Failed() bool { return f.failed }

// Feed appends to dst what may pass after p.
func (f *OpenAI) Feed(dst, p []byte) []byte {
	for len(p) > 0 {
		if f.form == formUnchanged {
			return append(dst, p...)
		}
		n, ended := f.parser.next(p)
		part := p[:n]
		p = p[n:]
		if !ended && len(f.held)+len(part) <= f.maxHeld() {
			f.held = append(f.held, part...)
			continue
		}
		block := part
		if len(f.held) > 0 {
			f.held = append(f.held, part...)
			block = f.held
		}
		dst = f.block(dst, block, ended)
		f.held = f.held[:0]
	}
	return dst
}

// maxHeld returns how much of an event is held back. Nodes of the network send no longer lines, and no
// runner's first event is near a few KiB.
func (f *OpenAI) maxHeld() int {
	if f.Network || f.form == formRewritten {
		return maxRewritten
	}
	return maxFirst
}

// block appends the converted event. An event that is longer than any that is decoded passes
// unchanged, and with it the rest of the stream.
func (f *OpenAI) block(dst, block []byte, ended bool) []byte {
	if !ended {
		f.form = formUnchanged
		return append(dst, block...)
	}
	e := f.parser.take()
	switch {
	case e.done:
		return append(f.finish(dst), block...)
	case !e.data, e.blank, e.broken:
		return append(dst, block...)
	}
	return f.event(dst, block)
}

// End appends the event with usage, if it is still missing.
func (f *OpenAI) End(dst []byte, broken bool) []byte {
	held := f.held
	f.held = nil
	switch {
	case f.form != formRewritten:
		dst = append(dst, held...)
	case json.Valid(dataOf(held)): // what is cut off is left out
		dst = f.event(dst, held)
	}
	if broken {
		return dst
	}
	return f.finish(dst)
}

// event appends one converted event.
func (f *OpenAI) event(dst, block []byte) []byte {
	var top map[string]json.RawMessage
	if f.failed || json.Unmarshal(dataOf(block), &top) != nil || top == nil {
		return append(dst, block...)
	}
	if f.form == formUnknown {
		f.form = f.formOf(top)
	}
	if f.form == formUnchanged {
		return append(dst, block...)
	}
	if said, ok := top["error"]; ok && string(said) != "null" {
		return appendEvent(dst, map[string]json.RawMessage{"error": errorObject(said)})
	}
	choices, ok := choicesOf(top["choices"])
	if !ok {
		return append(dst, block...)
	}
	if u := top["usage"]; len(u) > 0 && string(u) != "null" {
		f.usage = u
	}
	delete(top, "usage")
	top["object"] = json.RawMessage(objectName)
	f.keepCommon(top)
	for i, c := range choices {
		f.choice(indexOf(c, i), c)
	}
	if f.failed || len(choices) == 0 {
		return dst
	}
	top["choices"] = encode(choices)
	return appendEvent(dst, top)
}

// choicesOf reads the choices of an event. It reports false for anything but a list of objects, and
// for more than servers send in one event: each is converted to much more than "{}".
func choicesOf(list json.RawMessage) (choices []map[string]json.RawMessage, ok bool) {
	var each []json.RawMessage
	if json.Unmarshal(list, &each) != nil || len(each) > maxRoles {
		return nil, false
	}
	choices = make([]map[string]json.RawMessage, len(each))
	for i, c := range each {
		if json.Unmarshal(c, &choices[i]) != nil || choices[i] == nil {
			return nil, false
		}
	}
	return choices, true
}

// indexOf returns the index of a choice: servers send an event for each.
func indexOf(c map[string]json.RawMessage, fallback int) int {
	var i int
	if json.Unmarshal(c["index"], &i) != nil || i < 0 {
		return fallback
	}
	return i
}

// formOf returns the form of a stream with a first event.
func (f *OpenAI) formOf(first map[string]json.RawMessage) form {
	if _, named := first["object"]; named {
		return formUnchanged
	}
	var choices []struct {
		Finish *string `json:"finish_reason"`
	}
	_ = json.Unmarshal(first["choices"], &choices) // what is no list has no reason in it
	text := ""
	switch {
	case f.Network:
		return formRewritten
	case len(choices) > 0 && choices[0].Finish != nil && *choices[0].Finish == "":
		return formRewritten
	case json.Unmarshal(first["error"], &text) == nil && text != "":
		return formRewritten
	}
	return formUnchanged
}

// keepCommon remembers what the event with usage has in common with the others.
func (f *OpenAI) keepCommon(top map[string]json.RawMessage) {
	if f.common != nil {
		return
	}
	f.common = make(map[string]json.RawMessage, 6)
	for _, name := range []string{"id", "object", "created", "model"} {
		if v, ok := top[name]; ok {
			f.common[name] = v
		}
	}
}

// choice changes one choice of an event, the i-th of the answer.
func (f *OpenAI) choice(i int, c map[string]json.RawMessage) {
	finished := false
	switch reason := string(c["finish_reason"]); reason {
	case "", `""`, "null":
		c["finish_reason"] = json.RawMessage("null")
	case `"` + reasonError + `"`:
		f.failed = true
	default:
		finished = true
	}
	for _, unused := range []string{"message", "delta"} {
		if string(c[unused]) == "null" {
			delete(c, unused)
		}
	}
	var delta map[string]json.RawMessage
	if json.Unmarshal(c["delta"], &delta) != nil || delta == nil {
		delta = make(map[string]json.RawMessage, 2)
	}
	first := i < maxRoles && !f.roles[i]
	if first {
		f.roles[i] = true
	}
	switch role := string(delta["role"]); {
	case first && (role == "" || role == `""` || role == "null"):
		delta["role"] = json.RawMessage(`"assistant"`)
	case role == `""`, role == "null", i < maxRoles && !first:
		delete(delta, "role")
	}
	if finished && string(delta["content"]) == `""` {
		delete(delta, "content")
	}
	c["delta"] = encode(delta)
}

// finish appends the event with usage, once, where the client asks for it.
func (f *OpenAI) finish(dst []byte) []byte {
	if f.form != formRewritten || f.written || f.failed || !f.Usage || len(f.usage) == 0 {
		return dst
	}
	f.written = true
	f.common["choices"], f.common["usage"] = json.RawMessage("[]"), f.usage
	return appendEvent(dst, f.common)
}

// errorObject returns an error as OpenAI's clients read it.
func errorObject(said json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(said, &text) != nil {
		return said // an object already
	}
	return encode(map[string]any{"message": text, "type": "server_error", "param": nil, "code": nil})
}

func appendEvent(dst []byte, event map[string]json.RawMessage) []byte {
	dst = append(append(dst, "data: "...), encode(event)...)
	return append(dst, "\n\n"...)
}

// encode is JSON on one line, with texts as they are.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return json.RawMessage("null") // what was decoded can be encoded
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
