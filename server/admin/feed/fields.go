package feed

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/tuttinode/tutti/core/adminapi"
)

// beat is the event of a feed that has nothing to say. Read-only.
var beat = event(adminapi.EventBeat, []byte("{}"))

// event returns an event in the form of server-sent events. JSON has no line breaks.
func event(name string, data []byte) []byte {
	return bytes.Join([][]byte{[]byte("event: " + name), append([]byte("data: "), data...), nil, nil}, []byte("\n"))
}

// fields are a document's top level in JSON, in their order.
type fields []field

type field struct {
	name string
	json []byte
}

// split writes each field of a struct.
func split(document any) (fields, error) {
	v := reflect.ValueOf(document)
	out := make(fields, 0, v.NumField())
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		data, err := json.Marshal(v.Field(i).Interface())
		if err != nil {
			return nil, err
		}
		out = append(out, field{name, data})
	}
	return out, nil
}

// join writes an object.
func (f fields) join() []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, one := range f {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + one.name + `":`)
		b.Write(one.json)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// update returns the event with what changed since before, nil when nothing did. Of
// appended fields it has what is new.
func (f fields) update(before fields, appended Appended) []byte {
	var changed fields
	for i, one := range f {
		if i < len(before) && bytes.Equal(one.json, before[i].json) {
			continue
		}
		if list, is := appended[one.name]; is {
			if reflect.ValueOf(list).Len() == 0 {
				continue
			}
			data, err := json.Marshal(list)
			if err != nil {
				continue
			}
			one.json = data
		}
		changed = append(changed, one)
	}
	if len(changed) == 0 {
		return nil
	}
	return event(adminapi.EventUpdate, changed.join())
}
