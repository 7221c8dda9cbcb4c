package models

import (
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// readInline parses "pipeline:model_id:warm,…". The first part is the pipeline, the last
// one warm, and the rest is the model ID, which may hold colons ("llama3.1:8b").
func (l *loader) readInline(value string) {
	for i, text := range strings.Split(value, ",") {
		if i == maxEntries {
			l.refuseAll(
				fault.ModelsFileInvalid,
				Position{Source: inlineSource},
				"there are more than 1000 entries",
				"shorten the list",
			)
			return
		}
		if strings.TrimSpace(text) == "" && i > 0 {
			// A comma behind the last entry.
			continue
		}
		d := &draft{l: l, position: Position{Source: inlineSource, Entry: i + 1}, inline: true}
		d.node = d.inlineNode(strings.TrimSpace(text))
		l.drafts = append(l.drafts, d)
	}
}

// inlineNode returns what one entry would be in JSON.
func (d *draft) inlineNode(text string) node {
	n := node{kind: isObject}
	put := func(name string, k kind, value string) {
		n.members = append(n.members, member{name: name, value: node{kind: k, text: value}})
	}
	parts := strings.Split(text, ":")
	put("pipeline", isString, parts[0])
	switch rest := parts[1:]; {
	case len(rest) == 0:
	case len(rest) == 1:
		put("model_id", isString, rest[0])
	default:
		last := len(rest) - 1
		if warm, ok := truth(rest[last]); ok {
			put("model_id", isString, strings.Join(rest[:last], ":"))
			put("warm", isBool, warm)
			break
		}
		if warm, ok := truth(rest[1]); ok {
			d.notice("", "what follows the third part is ignored: "+quoted(strings.Join(rest[2:], ":")))
			put("model_id", isString, rest[0])
			put("warm", isBool, warm)
			break
		}
		put("model_id", isString, strings.Join(rest[:last], ":"))
		put("warm", isString, rest[last])
	}
	return n
}

// truth reads the spellings of true and false that command lines know.
func truth(s string) (string, bool) {
	v, err := strconv.ParseBool(strings.TrimSpace(s))
	return strconv.FormatBool(v), err == nil
}
