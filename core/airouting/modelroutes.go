package airouting

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/pm"
)

// Bounds of the operator's file; docs/routing.schema.json states them too.
const (
	MaxModelRoutesBytes = 1 << 20
	maxModels           = 1024
	maxFallbacks        = 16
)

// ModelRoute is what the operator's file says about a requested name.
type ModelRoute struct {
	// Model is the model of the network that gets the request; "" is the requested name itself.
	Model string `json:"model,omitempty"`
	// Parameters are fields that a request gets if it does not have them.
	Parameters map[string]json.RawMessage `json:"parameters,omitempty"`
	// Fallbacks are asked in order when the model cannot answer, Longer when a request is too long for
	// it. They are models of the network or names of the file; the fallbacks of such a name are not
	// used.
	Fallbacks []string `json:"fallbacks,omitempty"`
	Longer    []string `json:"longer,omitempty"`
}

// ModelRoutes is the operator's file. The nil ModelRoutes has no names.
type ModelRoutes struct {
	models map[string]ModelRoute
}

// reserved are the fields that parameters may not set: they determine the model, the input and the
// price, which keys and limits are checked for. Read-only.
var reserved = []string{
	"model", "models", "provider", "messages", "prompt", "input", "stream", "stream_options", "max_tokens",
	"max_completion_tokens", "n_predict", "n", "best_of", "n_cmpl",
}

// ParseModelRoutes reads the operator's file. The error names the entry that is wrong.
func ParseModelRoutes(text []byte) (*ModelRoutes, error) {
	if len(text) > MaxModelRoutesBytes {
		return nil, fmt.Errorf("the file has more than %d bytes", MaxModelRoutesBytes)
	}
	var file struct {
		Schema string                `json:"$schema"`
		Models map[string]ModelRoute `json:"models"`
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&file); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("there is text after the object")
	}
	if err := unrepeated(text); err != nil {
		return nil, err
	}
	if len(file.Models) > maxModels {
		return nil, fmt.Errorf("models: more than %d names", maxModels)
	}
	for _, name := range slices.Sorted(maps.Keys(file.Models)) {
		m := file.Models[name]
		if err := m.check(name); err != nil {
			return nil, fmt.Errorf("models[%.64q]: %w", name, err)
		}
	}
	return &ModelRoutes{models: file.Models}, nil
}

// unrepeated refuses a file in which a name has two entries.
func unrepeated(text []byte) error {
	return pipeline.Members(text, func(key []byte, from, to int) error {
		if string(key) != "models" || text[from] != '{' {
			return nil
		}
		seen := make(map[string]bool)
		return pipeline.Members(text[from:to], func(name []byte, _, _ int) error {
			if seen[string(name)] {
				return fmt.Errorf("models[%.64q] is there twice", name)
			}
			seen[string(name)] = true
			return nil
		})
	})
}

// check returns what is wrong with an entry.
func (m *ModelRoute) check(name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	if m.Model != "" {
		if err := checkName(m.Model); err != nil {
			return fmt.Errorf("model: %w", err)
		}
	}
	for field := range m.Parameters {
		if slices.ContainsFunc(reserved, func(r string) bool { return strings.EqualFold(r, field) }) {
			return fmt.Errorf("parameters.%s: the field may not be set here", field)
		}
	}
	for _, list := range []struct {
		field string
		names []string
	}{{"fallbacks", m.Fallbacks}, {"longer", m.Longer}} {
		if len(list.names) > maxFallbacks {
			return fmt.Errorf("%s: more than %d names", list.field, maxFallbacks)
		}
		for i, n := range list.names {
			if err := checkName(n); err != nil {
				return fmt.Errorf("%s[%d]: %w", list.field, i, err)
			}
		}
	}
	return nil
}

func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("the name is empty")
	case len(name) > pm.MaxModelID:
		return fmt.Errorf("the name has more than %d bytes", pm.MaxModelID)
	}
	return nil
}

// Names lists the names of the file, sorted.
func (t *ModelRoutes) Names() []string {
	if t == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(t.models))
}

// Model returns the model of the network that a name stands for.
func (t *ModelRoutes) Model(name string) string {
	if t != nil {
		if m := t.models[name]; m.Model != "" {
			return m.Model
		}
	}
	return name
}
