package adminapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

var (
	errNoObject = errors.New("the body is not a JSON object")
	errTrailing = errors.New("there is more than one JSON value in the body")
	errMissing  = errors.New("is missing")
	errUnknown  = errors.New("is unknown")
	errTwice    = errors.New("is given twice")
)

// DecodeBody reads one JSON object into a struct. Fields without omitempty are
// required; null is the same as absent. No bytes at all are an empty object.
func DecodeBody(data []byte, into any) error {
	fields, err := splitObject(data)
	if err != nil {
		return err
	}
	target := reflect.ValueOf(into).Elem()
	for _, f := range reflect.VisibleFields(target.Type()) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "" {
			continue
		}
		raw, given := fields[name]
		delete(fields, name)
		switch {
		case given && string(raw) != "null":
			if err := json.Unmarshal(raw, target.FieldByIndex(f.Index).Addr().Interface()); err != nil {
				return fmt.Errorf("field %s: %s", name, decodeReason(err))
			}
		case !strings.Contains(options, "omitempty"):
			return fmt.Errorf("field %s %w", name, errMissing)
		}
	}
	for name := range fields {
		return fmt.Errorf("field %q %w", shortName(name), errUnknown)
	}
	return nil
}

// splitObject reads the object's fields as they are.
func splitObject(data []byte) (map[string]json.RawMessage, error) {
	fields := make(map[string]json.RawMessage)
	if len(bytes.TrimSpace(data)) == 0 {
		return fields, nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, errNoObject
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, errNoObject
		}
		name, ok := key.(string)
		if !ok {
			return nil, errNoObject
		}
		if _, twice := fields[name]; twice {
			return nil, fmt.Errorf("field %q %w", shortName(name), errTwice)
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, errNoObject
		}
		fields[name] = raw
	}
	if _, err := dec.Token(); err != nil {
		return nil, errNoObject
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errTrailing
	}
	return fields, nil
}

// decodeReason returns an error of package json in words that do not name Go types.
func decodeReason(err error) string {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if strings.HasPrefix(wrong.Value, "number ") {
			return "the number is out of range or not whole"
		}
		return "a JSON " + wrong.Value + " is not what belongs here"
	}
	return err.Error()
}

// shortName bounds what is repeated of a field's name.
func shortName(name string) string {
	const most = 64
	if len(name) > most {
		return name[:most] + "…"
	}
	return name
}
