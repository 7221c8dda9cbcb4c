package fault

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"
)

// genericText is what a peer learns of our own defects: nothing.
const genericText = "Internal Server Error"

// detailMark in a row's Wire is replaced by the fault's detail.
const detailMark = "{detail}"

// maxPublicText bounds a text that leaves the node, in bytes.
const maxPublicText = 512

// Public returns what a client may see of err: the stable code and one line of
// text. The cause chain is never part of it. An error without a code is
// Unexpected with a generic text.
func Public(err error) (code, text string) {
	c := CodeOf(err)
	row, known := Lookup(c)
	f, ok := errors.AsType[*Fault](err)
	switch {
	case ok && f.Detail != "":
		text = f.Detail
	case !known || row.Class == Internal:
		text = genericText
	default:
		text = row.Cause
	}
	return string(c), oneLine(text)
}

// Printable returns a text for a terminal: what the programs and peers that it quotes wrote steers
// none. It keeps its lines.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' || unicode.Is(unicode.Bidi_Control, r) {
			return '?'
		}
		return r
	}, s)
}

// ForOperator returns one line of text for the node's own operator: the public text, and
// where that would say nothing of a defect of ours the file and the system's reason,
// such as "no space left on device". Other causes may quote what a peer or an
// endpoint said, addresses with keys included, and stay in the log.
func ForOperator(err error) string {
	_, text := Public(err)
	if text != genericText {
		return text
	}
	var parts []string
	if f, ok := errors.AsType[*Fault](err); ok && f.Op != "" {
		parts = append(parts, f.Op)
	}
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		parts = append(parts, path.Path)
	}
	if reason := systemReason(err); reason != "" {
		parts = append(parts, reason)
	}
	if len(parts) == 0 {
		return text
	}
	return oneLine(strings.Join(parts, ": "))
}

// systemReason returns what the operating system, or a database on its disk, said; "" where
// the cause is another.
func systemReason(err error) string {
	if number, ok := errors.AsType[syscall.Errno](err); ok {
		return number.Error()
	}
	for _, said := range diskReasons {
		if strings.Contains(err.Error(), said) {
			return said
		}
	}
	return ""
}

// diskReasons are SQLite's words for what is wrong with its file: the domain does not
// know the driver's types. Read-only.
var diskReasons = []string{
	"database or disk is full", "disk I/O error", "attempt to write a readonly database",
	"unable to open database file",
	"database disk image is malformed", "database is locked", "file is not a database",
}

// Wire returns the protocol's text for err, which peers of the network compare
// or show: the table's wire text, with the fault's public detail in it where the
// table has a place for it; without a wire text the detail, else the code. Our own defects
// and faults of configuration without a wire text become a generic one.
func Wire(err error) string {
	c := CodeOf(err)
	row, known := Lookup(c)
	var detail string
	if f, ok := errors.AsType[*Fault](err); ok {
		detail = f.Detail
	}
	switch {
	case known && row.Wire == detailMark && detail == "":
		return string(c)
	case known && row.Wire != "":
		text := strings.Replace(row.Wire, detailMark, detail, 1)
		return oneLine(strings.TrimSuffix(text, ": "))
	case !known || row.Class == Internal || row.Class == Config:
		return genericText
	case detail != "":
		return oneLine(detail)
	}
	return string(c)
}

// oneLine makes hostile or careless text fit for one line: control characters
// become spaces, invalid UTF-8 is replaced, and the length is bounded.
func oneLine(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
	if len(s) <= maxPublicText {
		return s
	}
	cut := maxPublicText
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
