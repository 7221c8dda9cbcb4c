package config

import (
	"encoding/json"
	"errors"
	"strings"
)

// Document is JSON that was given in place or in a file. It is known to be
// well-formed; its content is checked by the component that uses it.
type Document struct {
	// JSON is the text, nil when unset. Not to be changed.
	JSON []byte
	// Path is the file it came from, "" when it was given in place.
	Path string
}

var errJSON = errors.New("not well-formed JSON")

// IsZero reports whether there is no document.
func (d Document) IsZero() bool { return len(d.JSON) == 0 }

// String returns the path, or the text that was given in place.
func (d Document) String() string {
	if d.Path != "" {
		return d.Path
	}
	return string(d.JSON)
}

// inlineJSON reports whether a text is meant as JSON and not as a path.
func inlineJSON(s string) bool {
	s = strings.TrimSpace(s)
	return strings.HasPrefix(s, "{") || strings.HasPrefix(s, "[")
}

// readInline takes JSON given in place only.
func readInline(s string, _ *Input) (Document, error) {
	if !inlineJSON(s) || !json.Valid([]byte(s)) {
		return Document{}, errJSON
	}
	return Document{JSON: []byte(s)}, nil
}

// readDocument takes JSON given in place, or the path of a file that holds it.
func readDocument(s string, in *Input) (Document, error) {
	if inlineJSON(s) {
		return readInline(s, in)
	}
	content, err := in.readText(s)
	if err != nil {
		return Document{}, err
	}
	if !json.Valid(content) {
		return Document{}, &unreadable{path: s, why: errJSON.Error(), content: true}
	}
	return Document{JSON: content, Path: s}, nil
}
