package pipelines

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"

	"github.com/tuttinode/tutti/core/pipeline"
)

// Request is what the runner was asked.
type Request struct {
	// Fields are a form's texts or an object's members; those that are no text are
	// as JSON has them.
	Fields map[string]string
	// File is the form's image or sound.
	File   []byte
	Body   []byte
	Header http.Header
}

// number is a field's whole number, or otherwise where there is none.
func (q Request) number(field string, otherwise int) int {
	n, err := strconv.Atoi(q.Fields[field])
	if err != nil {
		return otherwise
	}
	return n
}

// read reads a request with the standard library, which shares no code with the
// nodes'.
func read(p pipeline.Pipeline, q *http.Request) (Request, error) {
	body, err := io.ReadAll(q.Body)
	in := Request{Fields: make(map[string]string), Body: body, Header: q.Header}
	if err != nil {
		return in, err
	}
	kind, params, err := mime.ParseMediaType(q.Header.Get("Content-Type"))
	switch {
	case err != nil:
		return in, err
	case p.Form == pipeline.JSON && kind == "application/json":
		return in, in.readObject()
	case p.Form == pipeline.Multipart && kind == "multipart/form-data":
		return in, in.readForm(p.File, multipart.NewReader(bytes.NewReader(body), params["boundary"]))
	}
	return in, fmt.Errorf("content type %q", kind)
}

func (q *Request) readObject() error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(q.Body, &object); err != nil {
		return err
	}
	for name, raw := range object {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
		q.Fields[name] = text
	}
	return nil
}

func (q *Request) readForm(file string, r *multipart.Reader) error {
	for {
		part, err := r.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		value, err := io.ReadAll(part)
		switch name := part.FormName(); {
		case err != nil:
			return err
		case name == file && part.FileName() == "":
			return errors.New("the file has no name")
		case name == file:
			q.File = value
		default:
			q.Fields[name] = string(value)
		}
	}
}
