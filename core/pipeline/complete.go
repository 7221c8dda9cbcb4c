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

// Complete fills in what a gateway says where its client said nothing: the
// pipeline's default model, and the sizes that the network prices such a request
// at, so that it gets what it pays for. The body it returns is the given one if
// nothing was missing; it reads as before otherwise, with fields in front. grow is
// asked before memory for n more bytes is taken; nil takes it unasked.
//
// Errors are those of Decode, without ModelMissing, and those of grow.
func Complete(id capability.ID, op inference.Operation, contentType string, body []byte, grow func(n int64) error) ([]byte, error) {
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

// ask asks grow, where there is one.
func ask(grow func(n int64) error, n int) error {
	if grow == nil {
		return nil
	}
	return grow(int64(n))
}

// WithDuration puts the length of its audio into a form of audio-to-text, in whole
// seconds and as the network's gateways do: runners look for it there. It takes the
// place of what the client says of it. grow is as in Complete.
//
// Errors are those of Decode, and those of grow.
func WithDuration(contentType string, body []byte, d time.Duration, grow func(n int64) error) ([]byte, error) {
	metadata := `{"duration":"` + strconv.FormatInt(max(1, int64(d/time.Second)), 10) + `"}`
	return completeForm(contentType, body, []field{{"metadata", string(quoteJSON(metadata))}}, grow)
}

// field is a field to be filled in; value is as JSON has it.
type field struct{ name, value string }

// rewritten is how long a body is at most, once it is written again with fields in
// front.
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

// completeJSON puts fields in front of an object's. A field that is there as
// null or as an empty text is taken out: no name may be in an object twice.
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
		if key, _ := meant(raw); !added[string(key)] {
			put([]byte(`"`+string(raw)+`"`), value)
		}
		return err
	})
	return append(out, '}')
}

// completeForm writes a form again with parts in front; empty ones of their
// names are left out. Errors are the fault JobUnreadable and those of grow.
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
