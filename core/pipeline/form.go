package pipeline

import (
	"bytes"
	"errors"
	"mime"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxParts bounds the parts of a form, maxPartHeader the header of one, and
	// maxField a field that is no file.
	maxParts      = 64
	maxPartHeader = 8 << 10
	maxField      = 1 << 20
	// maxBoundary is the longest boundary that RFC 2046 has.
	maxBoundary = 70
)

// form is a multipart form. Its values are parts of the body, not copies.
type form struct {
	fields map[string][]byte
	file   []byte
}

var (
	errBoundary = errors.New("the content type is not multipart/form-data with a boundary")
	errForm     = errors.New("the form is cut off or has no boundary where one must be")
	errPart     = errors.New("a part of the form has a header that cannot be read")
	errManyPart = errors.New("the form has too many parts")
	errNoFile   = errors.New("the form has no file where its pipeline needs one")
)

// boundary reads a form's boundary from its content type.
func boundary(contentType string) (string, error) {
	kind, params, err := mime.ParseMediaType(contentType)
	b := params["boundary"]
	if err != nil || kind != "multipart/form-data" || b == "" || len(b) > maxBoundary {
		return "", errBoundary
	}
	return b, nil
}

// Parts calls part for every part of a form: with its name, the name of its file,
// "" where it is none, and its value, which is a part of body and no copy.
//
// The error is part's own, or says why body is no form.
func Parts(contentType string, body []byte, part func(name, file string, value []byte) error) error {
	return eachPart(contentType, body, func(header, value []byte) error {
		name, file, err := partHeader(string(header))
		if err != nil {
			return err
		}
		return part(name, file, value)
	})
}

// eachPart calls part for every part of a form, with its header's lines and its
// value.
func eachPart(contentType string, body []byte, part func(header, value []byte) error) error {
	b, err := boundary(contentType)
	if err != nil {
		return err
	}
	mark := []byte("\r\n--" + b)
	rest, found := bytes.CutPrefix(body, mark[2:])
	if !found {
		// Bytes before the first boundary belong to no part.
		if _, rest, found = bytes.Cut(body, mark); !found {
			return errForm
		}
	}
	for n := 0; !bytes.HasPrefix(rest, []byte("--")); n++ {
		line, text, ok := bytes.Cut(rest, []byte("\r\n"))
		if !ok || len(bytes.Trim(line, " \t")) > 0 {
			return errForm
		}
		if n == maxParts {
			return errManyPart
		}
		end := bytes.Index(text[:min(len(text), maxPartHeader)], []byte("\r\n\r\n"))
		if end < 0 {
			return errPart
		}
		// The value is looked for from the blank line on, so that an empty one is
		// found.
		value, after, ok := bytes.Cut(text[end+2:], mark)
		if !ok || len(value) < 2 {
			return errForm
		}
		if err := part(text[:end], value[2:]); err != nil {
			return err
		}
		rest = after
	}
	return nil
}

// readForm reads a form in one pass. file names the part that is the input.
func readForm(contentType, file string, body []byte) (*form, error) {
	f := &form{fields: make(map[string][]byte, 8)}
	err := eachPart(contentType, body, func(header, value []byte) error {
		name, err := partName(string(header))
		if err != nil {
			return err
		}
		return f.take(name, value, name == file)
	})
	if err == nil && len(f.file) == 0 {
		err = errNoFile
	}
	return f, err
}

func (f *form) take(name string, value []byte, isFile bool) error {
	_, twice := f.fields[name]
	switch {
	case twice || isFile && f.file != nil:
		return &fieldError{named([]byte(name)), "the field is in the form twice"}
	case isFile:
		f.file = value
	case len(value) > maxField:
		return &fieldError{named([]byte(name)), "the field is too long"}
	default:
		f.fields[name] = value
	}
	return nil
}

// control reports whether a character does not belong into a header's line.
// Readers do not agree on where a line ends that holds one.
func control(r rune) bool { return r != '\t' && unicode.IsControl(r) }

// partName returns the name in a part's header.
func partName(header string) (string, error) {
	name, _, err := partHeader(header)
	return name, err
}

// partHeader reads the name, and the name of the file, in a part's header.
func partHeader(header string) (name, file string, err error) {
	h, err := readPartHeader(header)
	return h.name, h.file, err
}

// header is a part's header, as far as it matters. kind is its media type without parameters, "" if
// it has none.
type header struct{ name, file, kind string }

// readPartHeader reads a part's header. An encoding is refused: readers that decode it
// and readers that do not would see different parts.
func readPartHeader(text string) (h header, err error) {
	for line := range strings.SplitSeq(text, "\r\n") {
		key, value, ok := strings.Cut(line, ":")
		if !ok || strings.ContainsAny(key, " \t") || key == "" || strings.ContainsFunc(line, control) {
			return header{}, errPart
		}
		switch strings.ToLower(key) {
		case "content-disposition":
			kind, params, err := mime.ParseMediaType(value)
			if err != nil || kind != "form-data" || params["name"] == "" || h.name != "" {
				return header{}, errPart
			}
			h.name, h.file = params["name"], params["filename"]
		case "content-transfer-encoding":
			switch strings.ToLower(strings.TrimSpace(value)) {
			case "binary", "8bit", "7bit":
			default:
				return header{}, errPart
			}
		case "content-type":
			if kind, _, err := mime.ParseMediaType(value); err == nil {
				h.kind = kind
			}
		}
	}
	if h.name == "" || strings.ContainsFunc(h.name, notInFieldName) {
		return header{}, errPart
	}
	return h, nil
}

// notInFieldName reports whether no field has this character in its name.
func notInFieldName(r rune) bool {
	return r >= utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.[]", r)
}
