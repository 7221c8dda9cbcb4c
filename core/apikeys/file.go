package apikeys

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// Bounds of a key file.
const (
	maxFileBytes = 16 << 20
	maxEntries   = 100000
)

// minSecret is the minimum length of a key chosen by a person.
const minSecret = 20

// File is what a key file holds.
type File struct {
	Keys []Key
	// Secrets says that it holds keys in the clear, so the file must not be readable by other
	// users.
	Secrets bool
}

// ParseFile reads a key file: a JSON array of objects
//
//	{"name": "app", "key_sha256": "<64 hex digits>", "models": ["llama*"], "rpm": 60, "tpm": 100000,
//	 "concurrency": 4, "budget": 1000000, "period": "month", "expires": "2027-01-31"}
//
// with "key" instead of "key_sha256" for a key in the clear. The error is the
// fault KeyFileInvalid and holds every mistake with its line; it never shows a
// key.
func ParseFile(data []byte) (*File, error) {
	r := fileReader{data: data, out: &File{}, names: make(map[string]int), hashes: make(map[Hash]int)}
	if len(data) > maxFileBytes {
		r.bad(0, "the file is larger than %d MiB", maxFileBytes>>20)
	} else {
		r.read()
	}
	if len(r.problems) > 0 {
		return nil, fault.New(fault.KeyFileInvalid, "read API keys", strings.Join(r.problems, "; "))
	}
	return r.out, nil
}

// fileReader walks through a file and keeps line numbers for messages.
type fileReader struct {
	data     []byte
	out      *File
	problems []string
	// names and hashes have the lines of what was seen.
	names  map[string]int
	hashes map[Hash]int
}

// bad records a mistake at an offset.
func (r *fileReader) bad(offset int, format string, args ...any) {
	const most = 50
	if len(r.problems) < most {
		r.problems = append(r.problems, fmt.Sprintf("line %d: ", r.line(offset))+fmt.Sprintf(format, args...))
	}
}

func (r *fileReader) line(offset int) int {
	return 1 + bytes.Count(r.data[:min(offset, len(r.data))], []byte("\n"))
}

// read walks through the array.
func (r *fileReader) read() {
	dec := json.NewDecoder(bytes.NewReader(r.data))
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		r.bad(int(dec.InputOffset()), "the file is not a JSON array of keys, [{…}, …]")
		return
	}
	for dec.More() {
		start := r.next(int(dec.InputOffset()))
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			r.syntax(dec, err)
			return
		}
		if len(r.out.Keys) >= maxEntries {
			r.bad(start, "more than %d keys", maxEntries)
			return
		}
		r.entry(start, raw)
	}
	if _, err := dec.Token(); err != nil {
		r.syntax(dec, err)
		return
	}
	if _, err := dec.Token(); err != io.EOF {
		r.bad(int(dec.InputOffset()), "something follows the array of keys")
	}
}

// next returns the offset of the next value, past space and commas.
func (r *fileReader) next(offset int) int {
	rest := bytes.TrimLeft(r.data[offset:], " \t\r\n,:")
	return len(r.data) - len(rest)
}

// syntax reports a syntax error; nothing after it can be read.
func (r *fileReader) syntax(dec *json.Decoder, err error) {
	offset := int(dec.InputOffset())
	if s, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = int(s.Offset)
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		r.bad(len(r.data), "the file ends too early")
		return
	}
	r.bad(offset, "not JSON: a comma, quote or bracket is missing or too many")
}
