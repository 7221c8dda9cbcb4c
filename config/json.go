package config

import (
	"encoding/json"
	"io"
)

// jsonOption is one option in the output of -j.
type jsonOption struct {
	Name    string   `json:"name"`
	Other   []string `json:"other_names,omitempty"`
	Group   string   `json:"group"`
	Env     []string `json:"env,omitempty"`
	Type    string   `json:"type"`
	Default string   `json:"default"`
	Help    string   `json:"help"`
}

// WriteJSON writes the option table as JSON, for programs that start nodes.
func WriteJSON(w io.Writer) error {
	var all []jsonOption
	for _, o := range table() {
		if o.obsolete != "" {
			continue
		}
		all = append(all, jsonOption{o.name, o.spellings()[1:], string(o.group), o.env(o.name), o.valueType().name,
			o.preset, o.help})
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(all)
}
