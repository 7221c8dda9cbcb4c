package pipeline

import (
	"errors"
	"slices"
	"strconv"
	"time"
)

var errAnswer = errors.New("the answer has no choices")

// NetworkAnswer completes a runner's answer to a chat, which is not a stream, with the fields that
// gateways of the existing network require: id, model, created as a whole number, usage and at
// least one choice. The model is the requested one, whatever the runner calls it. If nothing was
// missing it returns the given body. Other fields are ignored by those gateways.
//
// The error says why it is no such answer.
func NetworkAnswer(body []byte, model, id string, now time.Time) ([]byte, error) {
	a := answer{}
	c := &cursor{text: body}
	if err := c.object(func(key []byte) error { return a.field(c, string(key)) }); err != nil {
		return nil, err
	}
	if err := c.end(); err != nil {
		return nil, err
	}
	if !a.choices {
		return nil, errAnswer
	}
	name := quoteJSON(model)
	if a.model && string(body[a.from:a.to]) != string(name) {
		body = slices.Concat(body[:a.from], name, body[a.to:])
	}
	var missing []field
	add := func(have bool, name, value string) {
		if !have {
			missing = append(missing, field{name, value})
		}
	}
	add(a.id, "id", string(quoteJSON("chatcmpl-"+id)))
	add(a.model, "model", string(name))
	add(a.created, "created", strconv.FormatInt(now.Unix(), 10))
	add(a.usage, "usage", `{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}`)
	if len(missing) == 0 {
		return body, nil
	}
	return completeJSON(body, missing), nil
}

// answer records which fields of an answer are valid.
type answer struct {
	id, model, created, usage, choices bool
	// from and to are the position of the model's name.
	from, to int
}

func (a *answer) field(c *cursor, key string) error {
	first := c.peek()
	v, err := c.value()
	if err != nil {
		return err
	}
	switch key {
	case "id":
		a.id = first == '"'
	case "model":
		a.model, a.from, a.to = first == '"', c.pos-len(v), c.pos
	case "created":
		_, err := strconv.ParseInt(string(v), 10, 64)
		a.created = err == nil
	case "usage":
		a.usage = first == '{'
	case "choices":
		a.choices = first == '[' && !empty(v)
	}
	return nil
}
