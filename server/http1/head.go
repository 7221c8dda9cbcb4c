package http1

import (
	"bytes"
	"net/http"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// head is the first part of an answer.
type head struct {
	status  int
	reason  string
	minor   int
	header  http.Header
	length  int64 // -1 if unknown
	chunked bool
	close   bool // the server closes the connection after the answer
}

// mostFields bounds the lines of a head.
const mostFields = 256

// headEnd ends a head. Read-only.
var headEnd = []byte("\r\n\r\n")

// headLength returns the length of the head at the start of b, 0 while it is incomplete. The bytes
// before from were searched already.
func headLength(b []byte, from int) int {
	i := bytes.Index(b[max(from-len(headEnd)+1, 0):], headEnd)
	if i < 0 {
		return 0
	}
	return max(from-len(headEnd)+1, 0) + i + len(headEnd)
}

// parseHead reads a whole head, with the empty line at its end.
func parseHead(b []byte) (*head, error) {
	// One string for the head: the fields are substrings.
	text := string(b[:len(b)-2])
	line, rest, ok := strings.Cut(text, "\r\n")
	if !ok {
		return nil, malformed("no status line")
	}
	h := &head{length: -1}
	if err := h.statusLine(line); err != nil {
		return nil, err
	}
	if err := h.fields(rest); err != nil {
		return nil, err
	}
	return h, h.framing()
}

// statusLine reads "HTTP/1.1 200 OK"; the reason may be missing.
func (h *head) statusLine(line string) error {
	version, rest, _ := strings.Cut(line, " ")
	switch version {
	case "HTTP/1.1":
		h.minor = 1
	case "HTTP/1.0":
	default:
		return malformed("the status line does not begin with HTTP/1.1")
	}
	code, reason, _ := strings.Cut(rest, " ")
	if len(code) != 3 {
		return malformed("the status is not of three digits")
	}
	for i := range len(code) {
		if code[i] < '0' || code[i] > '9' {
			return malformed("the status is not of three digits")
		}
		h.status = h.status*10 + int(code[i]-'0')
	}
	if h.status < 100 || h.status > 599 {
		return malformed("status %d", h.status)
	}
	if !httpguts.ValidHeaderFieldValue(reason) {
		return malformed("control characters in the status line")
	}
	h.reason = reason
	return nil
}

// fields reads the header's lines.
func (h *head) fields(text string) error {
	n := strings.Count(text, "\r\n")
	if n > mostFields {
		return ErrTooLarge
	}
	h.header = make(http.Header, n)
	values := make([]string, n) // one array for all, as most fields are there once
	for text != "" {
		line, rest, _ := strings.Cut(text, "\r\n")
		text = rest
		name, value, err := field(line)
		if err != nil {
			return err
		}
		key := http.CanonicalHeaderKey(name)
		if old := h.header[key]; old != nil {
			h.header[key] = append(old, value)
			continue
		}
		values[0] = value
		h.header[key] = values[:1:1]
		values = values[1:]
	}
	return nil
}

// field reads one line of a header.
func field(line string) (name, value string, err error) {
	name, value, ok := strings.Cut(line, ":")
	// A space before the colon or at the line's beginning makes the name invalid, which also
	// refuses folded lines.
	if !ok || !httpguts.ValidHeaderFieldName(name) {
		return "", "", malformed("a header line is not name: value")
	}
	value = strings.Trim(value, " \t")
	if !httpguts.ValidHeaderFieldValue(value) {
		return "", "", malformed("control characters in a header's value")
	}
	return name, value, nil
}
