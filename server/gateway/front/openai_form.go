package front

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// maxParts bounds the parts of a form in OpenAI's way.
const maxParts = 64

// upload is a form in OpenAI's way: its texts, and its files by their part's name.
type upload struct {
	texts map[string]string
	files map[string][]byte
}

// unreadable is the fault of a request in OpenAI's form.
func unreadable(detail string) error {
	return fault.New(fault.RequestUnreadable, "read request", detail)
}

// readUpload reads a multipart form. OpenAI's clients write lists as name[].
func readUpload(in form) (*upload, error) {
	kind, params, err := mime.ParseMediaType(in.contentType)
	if err != nil || kind != "multipart/form-data" || params["boundary"] == "" {
		return nil, unreadable("the body must be multipart/form-data")
	}
	u := &upload{texts: make(map[string]string), files: make(map[string][]byte)}
	r := multipart.NewReader(bytes.NewReader(in.body), params["boundary"])
	for n := 0; ; n++ {
		part, err := r.NextPart()
		if err == io.EOF {
			return u, nil
		}
		if err != nil || n == maxParts {
			return nil, unreadable("the form cannot be read, or has too many parts")
		}
		b, err := io.ReadAll(part)
		if err != nil {
			return nil, unreadable("the form ends early")
		}
		name := strings.TrimSuffix(part.FormName(), "[]")
		if part.FileName() == "" {
			u.texts[name] = string(b)
			continue
		}
		if u.files[name] != nil {
			return nil, unreadable(name + ": one file is taken, not several")
		}
		u.files[name] = b
	}
}

// network is a form in the network's way: a file and texts, empty ones left out.
func networkForm(fileName string, file []byte, texts map[string]string) (form, error) {
	var b bytes.Buffer
	b.Grow(len(file) + 2048)
	w := multipart.NewWriter(&b)
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
	return form{w.FormDataContentType(), b.Bytes()}, err
}

// object is a JSON request in OpenAI's way, read field by field.
type object map[string]json.RawMessage

func readObject(in form) (object, error) {
	o := object{}
	if err := json.Unmarshal(in.body, &o); err != nil || o == nil {
		return nil, unreadable("the body must be a JSON object")
	}
	return o, nil
}

// text is a field's text, "" if it is not there or null.
func (o object) text(name string) (string, error) {
	var s *string
	if raw, ok := o[name]; ok && json.Unmarshal(raw, &s) != nil {
		return "", unreadable(name + ": must be a text")
	}
	if s == nil {
		return "", nil
	}
	return *s, nil
}

// refuseStream refuses a request for events where the pipeline has none.
func refuseStream(stream string) error {
	if stream == "" || stream == "false" || stream == "null" {
		return nil
	}
	return unreadable("stream: this pipeline answers at once")
}

// oneOf refuses a value that is not among those that can be done.
func oneOf(name, value string, can ...string) error {
	for _, c := range can {
		if value == c {
			return nil
		}
	}
	return unreadable(name + ": " + strconv.Quote(clip(value)) + " is not one of " + strings.Join(can[1:], ", "))
}
