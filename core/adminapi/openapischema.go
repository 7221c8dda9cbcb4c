package adminapi

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// schemas collects the schemas of structs by their names.
type schemas struct{ defs object }

func address() object { return object{"type": "string", "pattern": "^0x[0-9a-fA-F]{40}$"} }

func hash() object { return object{"type": "string", "pattern": "^0x[0-9a-f]{64}$"} }

// special returns the types that do not look in JSON as they do in Go.
func special(t reflect.Type) object {
	switch t {
	case reflect.TypeFor[core.Wei]():
		return object{"type": "string", "pattern": "^[0-9]+$", "description": "wei"}
	case reflect.TypeFor[core.LPT]():
		return object{"type": "string", "pattern": "^[0-9]+$", "description": "10^-18 of a stake token"}
	case reflect.TypeFor[core.PerMillion]():
		return object{"type": "integer", "minimum": 0, "maximum": int(core.Whole), "description": "parts per million"}
	case reflect.TypeFor[core.Address]():
		return address()
	case reflect.TypeFor[protocol.Hash]():
		return hash()
	case reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	case reflect.TypeFor[json.RawMessage]():
		return object{"type": "object"}
	case reflect.TypeFor[MaxSessions]():
		return object{"oneOf": []any{object{"type": "integer", "minimum": 1},
			object{"enum": []any{string(Auto), ""}}}}
	}
	if values := enum(t); values != nil {
		return object{"type": "string", "enum": values}
	}
	return nil
}

// enum lists the values of the types that have few.
func enum(t reflect.Type) []any {
	switch t {
	case reflect.TypeFor[protocol.TxState]():
		return anys([]protocol.TxState{protocol.TxSubmitted, protocol.TxMined, protocol.TxFinal, protocol.TxFailed,
			protocol.TxDropped})
	case reflect.TypeFor[OrchestratorState]():
		return anys([]OrchestratorState{StateUnregistered, StateWaiting, StateActive,
			StateLeaving, StateInactive})
	case reflect.TypeFor[SenderStatus]():
		return anys([]SenderStatus{SenderEmpty, SenderLocked, SenderUnlocking,
			SenderUnlocked})
	case reflect.TypeFor[Reachability]():
		return anys([]Reachability{ReachUnknown, ReachYes, ReachNo,
			ReachHairpin})
	}
	return nil
}

// of returns the schema of a type; structs are defined once and referred to.
func (s *schemas) of(t reflect.Type) object {
	if known := special(t); known != nil {
		return known
	}
	switch t.Kind() {
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		return object{"type": "integer", "minimum": 0}
	case reflect.Slice:
		return object{"type": "array", "items": s.of(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": s.of(t.Elem())}
	case reflect.Pointer:
		return object{"anyOf": []any{s.of(t.Elem()), object{"type": "null"}}}
	case reflect.Struct:
		return s.ref(t)
	}
	panic("openapi: no schema for " + t.String())
}

func (s *schemas) ref(t reflect.Type) object {
	name := t.Name()
	if _, defined := s.defs[name]; !defined {
		def := object{"type": "object", "additionalProperties": false}
		s.defs[name] = def // before its fields, which may refer to it
		properties, required := object{}, []any{}
		s.fields(t, properties, &required)
		def["properties"] = properties
		if len(required) > 0 {
			def["required"] = required
		}
	}
	return object{"$ref": "#/components/schemas/" + name}
}

func (s *schemas) fields(t reflect.Type, properties object, required *[]any) {
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "" {
			continue
		}
		typ := f.Type
		if optional := strings.Contains(options, "omitempty"); !optional {
			*required = append(*required, name)
		} else if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		properties[name] = s.of(typ)
	}
}
