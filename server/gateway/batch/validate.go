package batch

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// endpoints are the addresses that a batch may be for. Read-only.
var endpoints = []string{"/v1/chat/completions", "/v1/completions", "/v1/embeddings", "/v1/responses"}

const (
	// maxCustomID bounds the client's name of a line, in bytes.
	maxCustomID = 512
	// maxErrors is how many mistakes of a file are reported.
	maxErrors = 50
	// lineOverhead bounds what a line without an answer takes in a file of errors, besides its name.
	lineOverhead = 512
)

// Codes of a batch's mistakes, which are OpenAI's where it has one.
const (
	codeEmpty      = "empty_file"
	codeTooMany    = "too_many_requests"
	codeTooLong    = "line_too_long"
	codeJSON       = "invalid_json_line"
	codeField      = "invalid_request"
	codeEncoding   = "invalid_encoding"
	codeDuplicate  = "duplicate_custom_id"
	codeMismatched = "mismatched_model"
	codeURL        = "mismatched_endpoint"
)

// line is one request of a batch.
type line struct {
	CustomID string          `json:"custom_id"`
	Method   string          `json:"method"`
	URL      string          `json:"url"`
	Body     json.RawMessage `json:"body"`
	// ordinal is its place among the batch's lines, from 1. tries counts the answers that are tried again.
	ordinal, tries int
}

// lineReader reads the lines of a file that are not empty, and holds one at most.
type lineReader struct {
	in   *bufio.Reader
	most int64
	// number is the line's place in the file, ordinal that among the lines that are not empty, both
	// from 1. read counts the bytes up to its end.
	number, ordinal int
	read            int64
	buf             []byte
}

func newLineReader(r io.Reader, most int64) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(r, 64<<10), most: most}
}

// errLineTooLong: the line is skipped.
var errLineTooLong = errors.New("the line is too long")

// next returns the next line; its bytes are valid until the following call. The error is io.EOF at the end,
// errLineTooLong or the file's.
func (r *lineReader) next() ([]byte, error) {
	for {
		r.number++
		text, err := r.whole()
		if err != nil {
			return nil, err
		}
		if text = bytes.TrimSpace(text); len(text) > 0 {
			r.ordinal++
			return text, nil
		}
	}
}

// whole reads up to the end of a line.
func (r *lineReader) whole() ([]byte, error) {
	r.buf = r.buf[:0]
	tooLong := false
	for {
		part, err := r.in.ReadSlice('\n')
		r.read += int64(len(part))
		if int64(len(r.buf)+len(part)) > r.most {
			tooLong = true
			r.buf = r.buf[:0]
		}
		if !tooLong {
			r.buf = append(r.buf, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case tooLong && (err == nil || errors.Is(err, io.EOF)):
			return nil, errLineTooLong
		case errors.Is(err, io.EOF) && len(r.buf) > 0:
			return r.buf, nil
		}
		return r.buf, err
	}
}

// checked is what a valid file has.
type checked struct {
	lines int
	// reserve is the storage for its lines without an answer, in bytes.
	reserve int64
}

// validator checks a file of requests for one endpoint.
type validator struct {
	endpoint string
	most     int
	out      checked
	errs     []batchError
	model    string
	// names are hashes of the custom IDs.
	names map[uint64]struct{}
	seed  maphash.Seed
}

// validate checks every line. It stops after some mistakes; stop ends it early.
func validate(r io.Reader, endpoint string, l Limits, stop func() bool) (checked, []batchError, error) {
	in := newLineReader(r, l.Line)
	v := validator{endpoint: endpoint, most: l.Lines, names: make(map[uint64]struct{}), seed: maphash.MakeSeed()}
	for len(v.errs) < maxErrors && !stop() {
		text, err := in.next()
		switch {
		case errors.Is(err, io.EOF):
			if v.out.lines == 0 && len(v.errs) == 0 {
				v.errs = append(v.errs, batchError{Code: codeEmpty, Message: "The file has no requests."})
			}
			return v.out, v.errs, nil
		case errors.Is(err, errLineTooLong):
			v.bad(in.number, codeTooLong, "", fmt.Sprintf("The line is over the limit of %d bytes.", l.Line))
			continue
		case err != nil:
			return v.out, nil, err
		}
		if v.out.lines++; v.out.lines > l.Lines {
			v.bad(in.number, codeTooMany, "", fmt.Sprintf("A batch may have %d requests at most.", l.Lines))
			break
		}
		v.check(in.number, text)
	}
	return v.out, v.errs, nil
}

func (v *validator) bad(number int, code, param, text string) {
	e := batchError{Code: code, Message: text, Line: &number}
	if param != "" {
		e.Param = &param
	}
	v.errs = append(v.errs, e)
}

// check checks one line.
func (v *validator) check(number int, text []byte) {
	if !utf8.Valid(text) {
		v.bad(number, codeEncoding, "", "The line is not UTF-8.")
		return
	}
	l, err := parseLine(text)
	if err != nil {
		v.bad(number, codeJSON, "", "The line is not one JSON object with custom_id, method, url and body: "+err.Error())
		return
	}
	var body struct {
		Model      *string `json:"model"`
		Stream     any     `json:"stream"`
		Background any     `json:"background"`
	}
	switch {
	case l.CustomID == "" || len(l.CustomID) > maxCustomID:
		v.bad(number, codeField, "custom_id", fmt.Sprintf("custom_id: a text of 1 to %d bytes was expected.", maxCustomID))
	case l.Method != "POST":
		v.bad(number, codeField, "method", `method: "POST" was expected.`)
	case l.URL != v.endpoint:
		v.bad(number, codeURL, "url", "url: the batch is for "+v.endpoint+", and the line is not.")
	case json.Unmarshal(l.Body, &body) != nil || len(l.Body) == 0 || l.Body[0] != '{':
		v.bad(number, codeField, "body", "body: an object was expected.")
	case body.Model == nil || *body.Model == "":
		v.bad(number, codeField, "body.model", "body.model: the name of a model was expected.")
	case on(body.Stream):
		v.bad(number, codeField, "body.stream", "body.stream: a batch has no streams; leave the field out.")
	case on(body.Background):
		v.bad(number, codeField, "body.background", "body.background: a batch is in the background; leave the field out.")
	case v.out.lines > 1 && *body.Model != v.model && v.model != "":
		v.bad(number, codeMismatched, "body.model", "body.model: the lines of a batch are for one model.")
	case !v.fresh(l.CustomID):
		v.bad(number, codeDuplicate, "custom_id", "custom_id: another line has it already.")
	default:
		v.model = *body.Model
		quoted, _ := json.Marshal(l.CustomID) // a text cannot fail
		v.out.reserve += lineOverhead + int64(len(quoted))
	}
}

// on reports whether a switch is set, or is no switch.
func on(v any) bool { return v != nil && v != false }

// fresh remembers a custom ID; false where it is known. Two that differ and have one hash are as
// unlikely as a fault of the memory: the seed is secret, and there are 50000 at most.
func (v *validator) fresh(id string) bool {
	h := maphash.String(v.seed, id)
	if _, known := v.names[h]; known {
		return false
	}
	v.names[h] = struct{}{}
	return true
}

// parseLine reads a line. Its fields are no others than those of a request.
func parseLine(text []byte) (*line, error) {
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	l := new(line)
	if err := in.Decode(l); err != nil {
		return nil, plain(err)
	}
	if _, err := in.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the object")
	}
	return l, nil
}

// plain returns an error of the decoder as clients read it, without what is inside the file.
func plain(err error) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("syntax error at byte %d", syntax.Offset)
	}
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s has the wrong type", cmp.Or(kind.Field, "the value"))
	}
	if strings.Contains(err.Error(), "unknown field") {
		return errors.New("there is another field")
	}
	return errors.New("it ends too early")
}

// knownEndpoint reports whether batches are for an address.
func knownEndpoint(path string) bool { return slices.Contains(endpoints, path) }
