package responses

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string. What is not UTF-8 is replaced, as encoding/json does it.
func appendString[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			if r, n := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))])); r != utf8.RuneError || n > 1 {
				i += n
				continue
			}
			dst = append(append(dst, s[from:i]...), `\ufffd`...)
		} else if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		} else {
			dst = appendEscaped(append(dst, s[from:i]...), c)
		}
		i++
		from = i
	}
	return append(append(dst, s[from:]...), '"')
}

func appendEscaped(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
}

// appendCompact appends a JSON value without the line breaks that would end an event.
func appendCompact(dst []byte, raw json.RawMessage) []byte {
	if len(raw) == 0 {
		return append(dst, "null"...)
	}
	buf := bytes.NewBuffer(dst)
	if json.Compact(buf, raw) != nil {
		return append(dst, "null"...) // what comes here was decoded before
	}
	return buf.Bytes()
}

// appendField appends a comma and a field with a value that is JSON.
func appendField(dst []byte, name string, raw json.RawMessage) []byte {
	return appendCompact(appendName(dst, name), raw)
}

// namedValue is a field of an object.
type namedValue struct {
	name string
	raw  json.RawMessage
}

// appendGiven appends those fields that are not null.
func appendGiven(dst []byte, values ...namedValue) []byte {
	for _, v := range values {
		if kindOf(v.raw) != kindNull {
			dst = appendField(dst, v.name, v.raw)
		}
	}
	return dst
}

// appendName appends a comma and a field's name.
func appendName(dst []byte, name string) []byte {
	return append(append(append(dst, `,"`...), name...), `":`...)
}

// appendText appends a comma and a field that is a string.
func appendText[T string | []byte](dst []byte, name string, s T) []byte {
	return appendString(appendName(dst, name), s)
}

// appendNumber appends a comma and a field that is a number.
func appendNumber(dst []byte, name string, n int64) []byte {
	return strconv.AppendInt(appendName(dst, name), n, 10)
}

// kindOf is the kind of a JSON value by its first byte.
func kindOf(raw json.RawMessage) byte {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	switch {
	case len(raw) == 0:
		return kindNull
	case raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9':
		return kindNumber
	case raw[0] == 't', raw[0] == 'f':
		return kindBool
	}
	return raw[0]
}

// Kinds of JSON values.
const (
	kindNull   byte = 'n'
	kindNumber byte = '0'
	kindBool   byte = 't'
	kindString byte = '"'
	kindList   byte = '['
	kindObject byte = '{'
)

// kindNames are for messages. Read-only.
var kindNames = map[byte]string{
	kindNumber: "a number", kindBool: "true or false", kindString: "a string", kindList: "a list", kindObject: "an object",
}
