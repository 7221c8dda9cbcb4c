package aiapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"mime/multipart"
	"slices"
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pipeline"
)

const (
	// maxText bounds a form field that is not a file, and maxFields the number of fields of a JSON
	// request.
	maxText   = 1 << 20
	maxFields = 128
	// around is the overhead of a field in a request that the gateway writes: the boundary and
	// header of a form's part, or JSON's punctuation.
	around = 256
)

// upload is an OpenAI-style form: its text fields, and its files by part name. Values are slices of
// the body, not copies.
type upload struct {
	texts map[string][]byte
	files map[string][]byte
}

// text returns a field's text, "" if it is missing.
func (u *upload) text(name string) string { return string(u.texts[name]) }

// unreadable is the fault of a malformed request in OpenAI's form. A detail about one field begins with its
// name and a colon.
func unreadable(detail string) error {
	f := fault.New(fault.RequestUnreadable, "read request", detail)
	if field, what, ok := strings.Cut(detail, ": "); ok && !strings.Contains(field, " ") {
		f.Err = pipeline.NewFieldError(field, what)
	}
	return f
}

// readUpload reads a multipart form. OpenAI's clients write lists as name[].
func readUpload(in payload) (*upload, error) {
	u := &upload{texts: make(map[string][]byte), files: make(map[string][]byte)}
	err := pipeline.Parts(in.contentType, in.body, func(name, file string, value []byte) error {
		name = strings.TrimSuffix(name, "[]")
		switch {
		case file == "" && len(value) > maxText:
			return errors.New(clip(name) + ": the text is too long")
		case file == "":
			u.texts[name] = value
		case u.files[name] != nil:
			return errors.New(clip(name) + ": only one file is supported")
		default:
			u.files[name] = value
		}
		return nil
	})
	if err != nil {
		return nil, unreadable(err.Error())
	}
	return u, nil
}

// networkMultipart returns a form in the network's format: a file and text fields, without the empty
// ones. A missing model is set to the pipeline's default here, so that the form need not be written
// again.
func (x *relayedRequest) networkMultipart(fileName string, file []byte, texts map[string]string) (payload, error) {
	if p, ok := pipeline.Lookup(x.route.capability); ok && texts["model_id"] == "" {
		texts["model_id"] = p.DefaultModel
	}
	size := len(file) + 2*around
	for name, value := range texts {
		size += len(name) + len(value) + around
	}
	if err := x.grow(int64(size)); err != nil {
		return payload{}, err
	}
	b := bytes.NewBuffer(make([]byte, 0, size))
	w := multipart.NewWriter(b)
	part, err := w.CreateFormFile(fileName, fileName)
	if err == nil {
		_, err = part.Write(file)
	}
	for name, value := range texts {
		if value != "" && err == nil {
			err = w.WriteField(name, value)
		}
	}
	if err == nil {
		err = w.Close()
	}
	return payload{w.FormDataContentType(), b.Bytes()}, err
}

// object is a JSON request in OpenAI's form, read field by field. Values are slices of the body,
// not copies.
type object map[string]json.RawMessage

func readObject(in payload) (object, error) {
	o := object{}
	err := pipeline.Members(in.body, func(name []byte, from, to int) error {
		if len(o) == maxFields {
			return errors.New("too many fields")
		}
		o[string(name)] = in.body[from:to]
		return nil
	})
	if err != nil {
		return nil, unreadable("the body must be a JSON object: " + err.Error())
	}
	return o, nil
}

// has reports whether a field is present and not null.
func (o object) has(name string) bool {
	raw, ok := o[name]
	return ok && string(raw) != "null"
}

// text returns a field's text, "" if it is missing or null.
func (o object) text(name string) (string, error) {
	var s *string
	if raw, ok := o[name]; ok && json.Unmarshal(raw, &s) != nil {
		return "", unreadable(name + ": must be a string")
	}
	if s == nil {
		return "", nil
	}
	return *s, nil
}

// networkJSON returns a JSON request in the network's format.
func (x *relayedRequest) networkJSON(o object) (payload, error) {
	size := around
	for name, value := range o {
		size += len(name) + len(value) + around
	}
	if err := x.grow(int64(size)); err != nil {
		return payload{}, err
	}
	out := make([]byte, 0, size)
	comma := byte('{')
	for _, name := range slices.Sorted(maps.Keys(o)) {
		out = append(strconv.AppendQuote(append(out, comma), name), ':') // our own names, without escapes
		out = append(out, o[name]...)
		comma = ','
	}
	if len(o) == 0 {
		out = append(out, comma)
	}
	return payload{jsonType[0], append(out, '}')}, nil
}

// refuseStream refuses a request for a stream where the pipeline has none.
func refuseStream(stream string) error {
	if stream == "" || stream == "false" || stream == "null" {
		return nil
	}
	return unreadable("stream: this pipeline does not stream")
}

// oneOf refuses a value that is not supported.
func oneOf(name, value string, can ...string) error {
	for _, c := range can {
		if value == c {
			return nil
		}
	}
	return unreadable(name + ": " + strconv.Quote(clip(value)) + " is not one of " + strings.Join(can[1:], ", "))
}
