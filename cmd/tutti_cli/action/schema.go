package action

import (
	"embed"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/protocol"
)

//go:embed schema/*.json
var schemaFiles embed.FS

// SchemaFile returns the name of a verb's schema.
func SchemaFile(verb string) string { return strings.ReplaceAll(verb, " ", "-") + ".json" }

// ReadSchema returns the schema of a verb's answer.
func ReadSchema(verb string) ([]byte, bool) {
	content, err := schemaFiles.ReadFile("schema/" + SchemaFile(verb))
	return content, err == nil
}

type object = map[string]any

// SchemaOf derives the schema of a verb's answer from an example.
func SchemaOf(verb, about string, example any) ([]byte, error) {
	s := schemaOf(reflect.TypeOf(example))
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = "tutti_cli " + verb
	s["description"] = about
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the schema of %s: %w", verb, err)
	}
	return append(text, '\n'), nil
}

// scalars are the types that JSON has as texts or numbers of a form.
func scalars() map[reflect.Type]object {
	return map[reflect.Type]object{
		reflect.TypeFor[core.Wei](): {"type": "string", "pattern": "^[0-9]+$", "description": "wei"},
		reflect.TypeFor[core.LPT](): {"type": "string", "pattern": "^[0-9]+$",
			"description": "base units of the stake token, 10^-18 of a token"},
		reflect.TypeFor[core.Address]():  {"type": "string", "pattern": "^0x[0-9a-fA-F]{40}$"},
		reflect.TypeFor[protocol.Hash](): {"type": "string", "pattern": "^0x[0-9a-f]{64}$"},
		reflect.TypeFor[core.PerMillion](): {"type": "integer", "minimum": 0, "maximum": 1_000_000,
			"description": "parts per million"},
		reflect.TypeFor[protocol.PerBillion](): {"type": "integer", "minimum": 0, "description": "parts per billion"},
		reflect.TypeFor[time.Time]():           {"type": "string", "format": "date-time"},
		reflect.TypeFor[adminapi.MaxSessions](): {"anyOf": []any{object{"type": "integer", "minimum": 1},
			object{"type": "string"}}, "description": "a number, auto, or empty where there is no limit"},
		reflect.TypeFor[protocol.TxState](): {"type": "string",
			"enum": []string{"submitted", "mined", "final", "failed", "dropped"}},
	}
}

func schemaOf(t reflect.Type) object {
	if s, ok := scalars()[t]; ok {
		out := object{}
		for k, v := range s {
			out[k] = v
		}
		return out
	}
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem())
	case reflect.Slice:
		return object{"type": "array", "items": schemaOf(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": schemaOf(t.Elem())}
	case reflect.Struct:
		return structure(t)
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return object{"type": "integer", "minimum": 0}
	}
	return object{"type": "integer"}
}

func structure(t reflect.Type) object {
	properties, required := object{}, []string{}
	for f := range fields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		s := schemaOf(f.Type)
		optional := strings.Contains(options, "omitempty")
		if nullable(f.Type) && !optional {
			s = object{"anyOf": []any{s, object{"type": "null"}}}
		}
		properties[name] = s
		if !optional {
			required = append(required, name)
		}
	}
	return object{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

// nullable: a nil pointer is null, and so is a list that a node left out.
func nullable(t reflect.Type) bool {
	return t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map
}

// fields returns a struct's fields as encoding/json sees them: embedded structs
// without a name lend theirs.
func fields(t reflect.Type) func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Anonymous && f.Tag.Get("json") == "" {
				for inner := range fields(f.Type) {
					if !yield(inner) {
						return
					}
				}
				continue
			}
			if f.IsExported() && f.Tag.Get("json") != "-" && !yield(f) {
				return
			}
		}
	}
}
