package pipeline

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
)

// Spool is a private file for what a request is too large to keep in memory.
type Spool interface {
	io.Writer
	io.ReaderAt
	io.Closer
}

// LongValues are the encoded pictures, sounds and files of a JSON request that are in a file. The request
// has a marker in place of each: behind its first bytes, which say what it is. So all that reads,
// checks and rewrites a request works on a small one, and the values come back where it is sent.
type LongValues struct {
	file   Spool
	places map[string]span
	// spooled is the length of the file, marked that of the values in it that have markers.
	spooled, marked int64
}

// span is a part of the file; picture says that the value in it is the data: address of a picture.
type span struct {
	from, size int64
	picture    bool
}

// Markers are the prefix and, in hexadecimal digits, a MAC of the value with a secret of the process: a
// client cannot have its own request repeat a value, and equal values have equal markers.
const (
	markerPrefix = "tutti-part-"
	markerSize   = len(markerPrefix) + 32
)

// keptBytes is how much of a value stays in the request.
const keptBytes = 32 << 10

// LongOptions say how ReadLong reads.
type LongOptions struct {
	// Limit is the most that is read, in bytes; Size is the announced length, -1 when unknown.
	Limit, Size int64
	// Open makes the file, once there is a long value.
	Open func() (Spool, error)
	// Secret makes markers that no client can guess.
	Secret []byte
	// Grow is called before n more bytes of memory are taken, Store before n bytes go into the file;
	// both may be nil.
	Grow, Store func(n int64) error
}

// ErrLongBody: the body is longer than the limit.
var ErrLongBody = errors.New("body is larger than the limit")

// ReadLong reads a JSON request to its end. Values of at least 32 KiB under the names data, file_data, url,
// image_url and images that are base64, alone or in a data: address, go into the file; all else stays in
// the body that it returns. Errors are ErrLongBody, io.ErrUnexpectedEOF, those of r and of the options.
func ReadLong(r io.Reader, o LongOptions) (body []byte, values *LongValues, err error) {
	if o.Size > o.Limit {
		return nil, nil, ErrLongBody
	}
	l := &longReader{o: o, values: &LongValues{places: make(map[string]span)}}
	defer func() {
		if err != nil {
			l.values.Close()
			values = nil
		}
	}()
	if err := l.reserve(4 * keptBytes); err != nil {
		return nil, nil, err
	}
	buf, total := make([]byte, keptBytes), int64(0)
	for {
		n, err := r.Read(buf)
		if total += int64(n); total > o.Limit {
			return nil, nil, ErrLongBody
		}
		if err := l.add(buf[:n]); err != nil {
			return nil, nil, err
		}
		switch {
		case err == nil:
		case err != io.EOF:
			return nil, nil, err
		case o.Size >= 0 && total < o.Size:
			return nil, nil, io.ErrUnexpectedEOF
		default:
			if l.mode == inSpool {
				l.mark()
			}
			return l.out, l.values, nil
		}
	}
}

// longMode is where the reader is.
type longMode int

const (
	outside longMode = iota
	inText
	inSpool
)

// longReader reads a request piece by piece.
type longReader struct {
	o      LongOptions
	values *LongValues
	out    []byte
	mode   longMode
	// escaped: the last byte was the backslash of an escape.
	escaped bool
	// begin is where the present text begins in out. last is the last text, key the name of the
	// present value. may: the present value may be long.
	begin int
	last  [2]int
	key   string
	may   bool
	// from is where the value begins in the file, mac its MAC so far.
	from int64
	mac  hash.Hash
}

func (l *longReader) add(piece []byte) error {
	for len(piece) > 0 {
		if l.mode == inSpool {
			rest, err := l.spool(piece)
			if err != nil {
				return err
			}
			piece = rest
			continue
		}
		if err := l.reserve(1); err != nil {
			return err
		}
		b := piece[0]
		piece = piece[1:]
		l.out = append(l.out, b)
		if l.mode == outside {
			l.between(b)
			continue
		}
		switch {
		case l.escaped:
			l.escaped = false
		case b == '\\':
			l.escaped = true
		case b == '"':
			l.mode, l.last = outside, [2]int{l.begin, len(l.out) - 1}
		}
		if l.mode == inText && l.may && !l.escaped && len(l.out)-l.begin >= keptBytes {
			if l.may = isEncoded(l.out[l.begin:]); l.may {
				if err := l.beginSpool(); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// between takes a byte between texts.
func (l *longReader) between(b byte) {
	switch b {
	case '"':
		l.mode, l.begin, l.escaped, l.may = inText, len(l.out), false, longName(l.key)
	case ':':
		l.key = ""
		if name := l.out[l.last[0]:l.last[1]]; len(name) <= len("image_url") {
			l.key = string(name)
		}
	}
}

// longName reports whether values of a name may be long: those that most often are no text.
func longName(key string) bool {
	switch key {
	case "data", "file_data", "url", "image_url", "images":
		return true
	}
	return false
}

// isEncoded reports whether a value begins as base64, alone or in a data: address.
func isEncoded(text []byte) bool {
	if bytes.HasPrefix(text, []byte("data:")) {
		head, rest, ok := bytes.Cut(text, []byte(","))
		if !ok || len(head) > 256 || bytes.ContainsAny(plainSlashes(head), `\"`) {
			return false
		}
		text = rest
	}
	var escaped bool
	return encoded(text, &escaped) == len(text)
}

// plainSlashes returns a text without the escapes of slashes that some writers of JSON make.
func plainSlashes(text []byte) []byte { return bytes.ReplaceAll(text, []byte(`\/`), []byte("/")) }

// ofPicture reports whether a value is the data: address of a picture.
func ofPicture(text []byte) bool {
	return bytes.HasPrefix(plainSlashes(text[:min(len(text), 32)]), []byte("data:image/"))
}

// encoded returns how many bytes are base64, with the escapes that writers of JSON put into it.
func encoded(text []byte, escaped *bool) int {
	for i, b := range text {
		switch {
		case *escaped:
			if b != '/' && b != 'n' && b != 'r' {
				return i
			}
			*escaped = false
		case b == '\\':
			*escaped = true
		case 'A' <= b && b <= 'Z', 'a' <= b && b <= 'z', '0' <= b && b <= '9', b == '+', b == '/', b == '=',
			b == '-', b == '_':
		default:
			return i
		}
	}
	return len(text)
}

func (l *longReader) beginSpool() error {
	if l.values.file == nil {
		file, err := l.o.Open()
		if err != nil {
			return err
		}
		l.values.file = file
	}
	l.mode, l.from, l.mac = inSpool, l.values.spooled, hmac.New(sha256.New, l.o.Secret)
	return nil
}

// spool writes what continues a value, and returns the rest of the piece.
func (l *longReader) spool(piece []byte) ([]byte, error) {
	n := encoded(piece, &l.escaped)
	if n > 0 {
		if err := ask(l.o.Store, n); err != nil {
			return nil, err
		}
		if _, err := l.values.file.Write(piece[:n]); err != nil {
			return nil, err
		}
		_, _ = l.mac.Write(piece[:n]) // a hash cannot fail
		l.values.spooled += int64(n)
	}
	if n == len(piece) {
		return nil, nil
	}
	if piece[n] != '"' || l.escaped {
		return piece[n:], l.takeBack()
	}
	if err := l.reserve(markerSize + 1); err != nil {
		return nil, err
	}
	l.mark()
	l.out = append(l.out, '"')
	l.mode, l.last = outside, [2]int{}
	return piece[n+1:], nil
}

// mark puts the marker of the value into the request.
func (l *longReader) mark() {
	if l.values.spooled == l.from {
		return
	}
	marker := markerPrefix + hex.EncodeToString(l.mac.Sum(nil)[:16])
	size := l.values.spooled - l.from
	l.values.places[marker] = span{l.from, size, ofPicture(l.out[l.begin:])}
	l.values.marked += size
	l.out = append(l.out, marker...)
}

// takeBack returns a value that turns out to be another text to the request.
func (l *longReader) takeBack() error {
	size := l.values.spooled - l.from
	if err := l.reserve(int(size)); err != nil {
		return err
	}
	at := len(l.out)
	l.out = l.out[:at+int(size)]
	if _, err := l.values.file.ReadAt(l.out[at:], l.from); err != nil && err != io.EOF {
		return err
	}
	l.mode, l.may = inText, false
	return nil
}

// reserve makes space for n more bytes.
func (l *longReader) reserve(n int) error {
	if cap(l.out)-len(l.out) >= n {
		return nil
	}
	size := max(2*cap(l.out), len(l.out)+n)
	if err := ask(l.o.Grow, size-cap(l.out)); err != nil {
		return err
	}
	l.out = append(make([]byte, 0, size), l.out...)
	return nil
}

// Spooled returns how many bytes of the request are in the file.
func (v *LongValues) Spooled() int64 {
	if v == nil {
		return 0
	}
	return v.marked
}

// Close removes the file. What still reads the values gets an error.
func (v *LongValues) Close() {
	if v != nil && v.file != nil {
		_ = v.file.Close() // it has no name, so nothing of it is left
	}
}

// Size returns the length of a body with its values.
func (v *LongValues) Size(body []byte) int64 {
	var size int64
	v.split(body, func(b []byte) { size += int64(len(b)) }, func(s span) { size += s.size })
	return size
}

// Reader returns a body with its values.
func (v *LongValues) Reader(body []byte) io.Reader {
	var parts []io.Reader
	v.split(body, func(b []byte) { parts = append(parts, bytes.NewReader(b)) },
		func(s span) { parts = append(parts, io.NewSectionReader(v.file, s.from, s.size)) })
	return io.MultiReader(parts...)
}

// split calls text and value for the parts of a body.
func (v *LongValues) split(body []byte, text func([]byte), value func(span)) {
	from := 0
	for from < len(body) {
		at := bytes.Index(body[from:], []byte(markerPrefix))
		if at < 0 {
			break
		}
		at += from
		end := min(at+markerSize, len(body))
		place, known := v.places[string(body[at:end])]
		if !known {
			text(body[from : at+len(markerPrefix)])
			from = at + len(markerPrefix)
			continue
		}
		text(body[from:at])
		value(place)
		from = end
	}
	text(body[from:])
}
