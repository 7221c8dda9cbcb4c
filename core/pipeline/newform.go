package pipeline

import (
	"bytes"
	"mime/multipart"
	"net/textproto"
	"strings"
)

// NewForm returns a form as a model server gets it: the parts that Parts finds in body, under
// headers and a boundary of its own. Readers of forms disagree: on line breaks before the first
// boundary, on quotes in headers, on the charset. From the client's own text a model server could
// read other fields, or another file, than the job was priced by.
//
// The pieces together are the form. Values are parts of body and no copies. The error is that of
// Parts.
func NewForm(contentType string, body []byte) (newType string, pieces [][]byte, err error) {
	var p pieceWriter
	w := multipart.NewWriter(&p)
	err = eachPart(contentType, body, func(text, value []byte) error {
		h, err := readPartHeader(string(text))
		if err != nil {
			return err
		}
		_, err = w.CreatePart(h.canonical())
		p.pieces = append(p.pieces, value)
		return err
	})
	if err == nil {
		err = w.Close()
	}
	return w.FormDataContentType(), p.pieces, err
}

// pieceWriter keeps what is written to it.
type pieceWriter struct{ pieces [][]byte }

// Write keeps a copy.
func (p *pieceWriter) Write(b []byte) (int, error) {
	p.pieces = append(p.pieces, bytes.Clone(b))
	return len(b), nil
}

// canonical returns the header in the form that all readers understand alike.
func (h *header) canonical() textproto.MIMEHeader {
	disposition := `form-data; name="` + h.name + `"`
	if h.file != "" {
		disposition += `; filename="` + plainFileName(h.file) + `"`
	}
	out := textproto.MIMEHeader{"Content-Disposition": {disposition}}
	if h.file != "" && h.kind != "" {
		out["Content-Type"] = []string{h.kind}
	}
	return out
}

// plainFileName replaces the characters of a file's name on which readers disagree. The end, which
// may tell the format, stays.
func plainFileName(name string) string {
	const most = 128
	return strings.Map(func(r rune) rune {
		if notInFieldName(r) {
			return '_'
		}
		return r
	}, name[max(0, len(name)-most):])
}
