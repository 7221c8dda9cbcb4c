package models

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// kind is a JSON value's type.
type kind string

// The kinds, as messages name them.
const (
	isString kind = "a string"
	isNumber kind = "a number"
	isBool   kind = "true or false"
	isNull   kind = "null"
	isArray  kind = "an array"
	isObject kind = "an object"
)

// node is a JSON value with its line.
type node struct {
	kind kind
	line int
	// text is a string's value, or a number or truth value as written.
	text string
	// members of an object in their order, repeated names included.
	members []member
	items   []node
}

// member is one name and value of an object.
type member struct {
	name  string
	line  int
	value node
}

// tree parses well-formed JSON into nodes. It reads tokens, because only they have offsets.
type tree struct {
	content []byte
	decoder *json.Decoder
	// line is the line of the byte at offset at.
	line, at int
	// values counts what was read.
	values int
}

// maxValues bounds the values of a file, as each costs far more memory than its
// text. A list of a thousand models has some ten thousand.
const maxValues = 100_000

var errTooMany = errors.New("more than 100000 values")

// parseTree reads JSON that json.Valid accepts; depth is bounded there.
func parseTree(content []byte) (node, error) {
	t := &tree{content: content, decoder: json.NewDecoder(bytes.NewReader(content)), line: 1}
	t.decoder.UseNumber()
	return t.value()
}

// currentLine returns the line of the next token.
func (t *tree) currentLine() int {
	next := int(t.decoder.InputOffset())
	for next < len(t.content) && strings.IndexByte(" \t\r\n,:", t.content[next]) >= 0 {
		next++
	}
	t.line += bytes.Count(t.content[t.at:next], []byte{'\n'})
	t.at = next
	return t.line
}

func (t *tree) value() (node, error) {
	n := node{line: t.currentLine()}
	if t.values++; t.values > maxValues {
		return n, errTooMany
	}
	token, err := t.decoder.Token()
	if err != nil {
		return n, err
	}
	switch v := token.(type) {
	case json.Delim:
		return t.compound(n, v)
	case string:
		n.kind, n.text = isString, v
	case json.Number:
		n.kind, n.text = isNumber, v.String()
	case bool:
		n.kind, n.text = isBool, "false"
		if v {
			n.text = "true"
		}
	default:
		n.kind = isNull
	}
	return n, nil
}

// compound reads on after an opening bracket, to the closing one.
func (t *tree) compound(n node, open json.Delim) (node, error) {
	n.kind = isArray
	if open == '{' {
		n.kind = isObject
	}
	for t.decoder.More() {
		var m member
		if n.kind == isObject {
			m.line = t.currentLine()
			name, err := t.decoder.Token()
			if err != nil {
				return n, err
			}
			m.name, _ = name.(string)
		}
		v, err := t.value()
		if err != nil {
			return n, err
		}
		if n.kind == isObject {
			m.value = v
			n.members = append(n.members, m)
		} else {
			n.items = append(n.items, v)
		}
	}
	_, err := t.decoder.Token()
	return n, err
}
