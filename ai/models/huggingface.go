package models

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
)

// shape are the properties of a model that limit how it can be split over devices; 0 is
// unknown.
type shape struct{ heads, layers int }

// commitName matches a snapshot's directory in a Hugging Face cache: the commit's hash.
func commitName() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`) }

// repoID matches a Hugging Face repository, organization and name, which has a directory of its own.
func repoID() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)?$`)
}

// shapeOf reads a model's config.json in the models directory, which is laid out as Hugging Face's
// cache, or returns why it cannot.
func (l *loader) shapeOf(id string) (s shape, why string) {
	if l.options.ModelsDir == "" || !repoID().MatchString(id) {
		return shape{}, "it has no place in the models directory"
	}
	dir := filepath.Join(l.options.ModelsDir, "models--"+strings.ReplaceAll(id, "/", "--"))
	ref, why := l.readFile(filepath.Join(dir, "refs", "main"))
	if why != "" {
		return shape{}, "it is not in the models directory yet"
	}
	name := strings.TrimSpace(string(ref))
	if !commitName().MatchString(name) {
		return shape{}, "refs/main in the models directory names no snapshot"
	}
	content, why := l.readFile(filepath.Join(dir, "snapshots", name, "config.json"))
	if why != "" {
		return shape{}, "it has no config.json in the models directory yet"
	}
	s = parseShape(content)
	if s == (shape{}) {
		return shape{}, "its config.json does not tell its attention heads and layers"
	}
	return s, ""
}

// parseShape reads config.json. Multimodal models keep the numbers of their language model
// in text_config.
func parseShape(content []byte) shape {
	type numbers struct {
		Heads  json.Number `json:"num_attention_heads"`
		Layers json.Number `json:"num_hidden_layers"`
	}
	var c struct {
		numbers
		Text json.RawMessage `json:"text_config"`
	}
	// A part that is of an unexpected type is left out and the rest still read.
	_ = json.Unmarshal(content, &c)
	var text numbers
	if len(c.Text) > 0 {
		_ = json.Unmarshal(c.Text, &text)
	}
	return shape{heads: positive(text.Heads, c.Heads), layers: positive(text.Layers, c.Layers)}
}

// positive returns the first positive number, or 0.
func positive(all ...json.Number) int {
	for _, n := range all {
		if v, err := n.Int64(); err == nil && v > 0 && v <= 1<<20 {
			return int(v)
		}
	}
	return 0
}
