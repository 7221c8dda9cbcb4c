package pipeline

import (
	"encoding/json"
	"maps"
	"slices"
)

// Rewrite returns a JSON request with another model and without the fields drop. fields are added
// where the request does not have them. body is one that Decode took; all else stays as it is written.
func Rewrite(body []byte, model string, fields map[string]json.RawMessage, drop ...string) []byte {
	c := &cursor{text: body}
	out := append(make([]byte, 0, len(body)+RewriteGrowth(model, fields)), `{"model":`...)
	out = append(out, quoteJSON(model)...)
	given := make(map[string]bool, len(fields))
	_ = c.members(func(raw []byte) error { // Decode found nothing wrong with it
		name, err := decodeString(raw)
		if err != nil {
			return err
		}
		from, to, err := c.span()
		switch {
		case err != nil, string(name) == "model", slices.Contains(drop, string(name)):
			return err
		case string(body[from:to]) == "null" && fields[string(name)] != nil:
			return nil // counts as not given
		}
		given[string(name)] = true
		out = append(append(append(out, ',', '"'), raw...), `":`...)
		out = append(out, body[from:to]...)
		return nil
	})
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !given[name] {
			out = append(append(append(out, ','), quoteJSON(name)...), ':')
			out = append(out, fields[name]...)
		}
	}
	return append(out, '}')
}

// RewriteGrowth returns by how many bytes Rewrite may lengthen a body, at most.
func RewriteGrowth(model string, fields map[string]json.RawMessage) int {
	// A byte of a name may take six in JSON.
	n := len(`{"model":"",}`) + 6*len(model)
	for name, value := range fields {
		n += 6*len(name) + len(value) + len(`"":,`)
	}
	return n
}
