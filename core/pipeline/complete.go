package pipeline

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// Complete adds a gateway's defaults to a request: the pipeline's default model, and the sizes at
// which the network prices such a request, so that the gateway gets what it pays for. If nothing
// was missing it returns the given body; otherwise the body is the same with fields in front. grow
// is called before n more bytes are allocated; nil allocates without asking.
//
// Errors are those of Decode, without ModelMissing, and those of grow.
func Complete(id capability.ID, op inference.Operation, contentType string, body []byte,
	grow func(n int64) error) ([]byte, error) {
	p, ok := Lookup(id)
	if !ok {
		return nil, fault.New(fault.JobUnknown, "complete request", "")
	}
	r, err := read(p, op, contentType, body)
	if err != nil {
		return nil, err
	}
	missing := r.missing(p)
	switch {
	case len(missing) == 0:
		return body, nil
	case p.Form == Multipart:
		return completeForm(contentType, body, missing, grow)
	}
	if err := ask(grow, rewritten(body, missing)); err != nil {
		return nil, err
	}
	return completeJSON(body, missing), nil
}

// ask calls grow, if there is one.
func ask(grow func(n int64) error, n int) error {
	if grow == nil {
		return nil
	}
	return grow(int64(n))
}

// WithDuration adds the duration of the audio to a form of audio-to-text, in whole seconds as the
// network's gateways do: runners look for it there. It replaces the client's value. grow is as in
// Complete.
//
// Errors are those of Decode, and those of grow.
func WithDuration(contentType string, body []byte, d time.Duration, grow func(n int64) error) ([]byte, error) {
	metadata := `{"duration":"` + strconv.FormatInt(max(1, int64(d/time.Second)), 10) + `"}`
	return completeForm(contentType, body, []field{{"metadata", string(quoteJSON(metadata))}}, grow)
}

// field is a field to be added; value is JSON.
type field struct{ name, value string }

// rewritten bounds the size of a body that is rewritten with fields in front.
func rewritten(body []byte, missing []field) int {
	const around = 64 // what a part of a form has besides, without its boundary
	n := len(body) + maxBoundary + around
	for _, f := range missing {
		n += len(f.name) + len(f.value) + maxBoundary + around
	}
	return n
}

func (r *Request) missing(p Pipeline) (out []field) {
	if r.Model.ID == "" {
		name := "model_id"
		if p.Capability == capability.LLM {
			name = "model"
		}
		out = append(out, field{name, string(quoteJSON(p.DefaultModel))})
	}
	width, height := 0, 0
	switch p.Capability {
	case capability.TextToImage:
		width, height = imageSide, imageSide
	case capability.ImageToVideo:
		width, height = videoWidth, videoHeight
	default:
		return out
	}
	if r.Width == 0 {
		out = append(out, field{"width", strconv.Itoa(width)})
	}
	if r.Height == 0 {
		out = append(out, field{"height", strconv.Itoa(height)})
	}
	return out
}

// completeJSON puts fields in front of an object's. The same field as null or as an empty string is
// removed, because an object must not have a name twice.
func completeJSON(body []byte, missing []field) []byte {
	out := make([]byte, 0, rewritten(body, missing))
	comma := byte('{')
	put := func(name, value []byte) {
		out = append(append(append(out, comma), name...), ':')
		out = append(out, value...)
		comma = ','
	}
	added := make(map[string]bool, len(missing))
	for _, f := range missing {
		put(quoteJSON(f.name), []byte(f.value))
		added[f.name] = true
	}
	c := &cursor{text: body}
	_ = c.members(func(raw []byte) error {
		value, err := c.value()
		if key, _ := decodeString(raw); !added[string(key)] {
			put([]byte(`"`+string(raw)+`"`), value)
		}
		return err
	})
	return append(out, '}')
}

// completeForm rewrites a form with parts in front; empty parts of the same names are left out.
// Errors are the fault JobUnreadable and those of grow.
func completeForm(contentType string, body []byte, missing []field, grow func(n int64) error) ([]byte, error) {
	b, err := boundary(contentType)
	if err != nil {
		return nil, unreadableForm(err)
	}
	size := rewritten(body, missing)
	if err := ask(grow, size); err != nil {
		return nil, err
	}
	out := bytes.NewBuffer(make([]byte, 0, size))
	added := make(map[string]bool, len(missing))
	for _, f := range missing {
		value := f.value
		var text string
		if json.Unmarshal([]byte(value), &text) == nil {
			value = text
		}
		out.WriteString("--" + b + "\r\nContent-Disposition: form-data; name=\"" + f.name + "\"\r\n\r\n" + value + "\r\n")
		added[f.name] = true
	}
	err = eachPart(contentType, body, func(header, value []byte) error {
		if name, err := partName(string(header)); err != nil || added[name] {
			return err
		}
		out.WriteString("--" + b + "\r\n")
		out.Write(header)
		out.WriteString("\r\n\r\n")
		out.Write(value)
		out.WriteString("\r\n")
		return nil
	})
	if err != nil {
		return nil, unreadableForm(err)
	}
	out.WriteString("--" + b + "--\r\n")
	return out.Bytes(), nil
}

func unreadableForm(err error) error {
	return &fault.Fault{Code: fault.JobUnreadable, Op: "complete request", Detail: err.Error(), Err: err}
}

// quoteJSON writes a text as a JSON string.
func quoteJSON(s string) []byte {
	text, err := json.Marshal(s)
	if err != nil {
		return []byte(`""`) // strings always can be written
	}
	return text
}
