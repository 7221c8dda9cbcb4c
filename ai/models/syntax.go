package models

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// syntaxFault is why a text is not JSON, and where.
type syntaxFault struct {
	line, column int
	text, remedy string
}

// checkSyntax finds the first syntax error of a JSON text, nil if there is none.
func checkSyntax(content []byte) *syntaxFault {
	if !utf8.Valid(content) {
		at := 0
		for at < len(content) {
			r, size := utf8.DecodeRune(content[at:])
			if r == utf8.RuneError && size <= 1 {
				break
			}
			at += size
		}
		return faultAt(content, at, "this is not text in UTF-8", "save the file as UTF-8")
	}
	var whole json.RawMessage
	err := json.Unmarshal(content, &whole)
	if err == nil {
		return nil
	}
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	if !ok {
		return faultAt(content, 0, err.Error(), "")
	}
	// The offset counts the bytes read, the offending one included.
	at := max(0, min(int(syntax.Offset)-1, len(content)))
	if strings.Contains(syntax.Error(), "unexpected end") {
		return unexpectedEnd(content)
	}
	return explainSyntax(content, at, syntax.Error())
}

// unexpectedEnd describes a truncated or empty file.
func unexpectedEnd(content []byte) *syntaxFault {
	trimmed := bytes.TrimRight(content, " \t\r\n")
	if len(trimmed) == 0 {
		return faultAt(content, 0, "there is nothing in it", "write a list of models, or [] for none")
	}
	return faultAt(content, len(trimmed)-1, "it ends after this, in the middle",
		"close what is open: a quote, a } or the last ]")
}

// explainSyntax describes common mistakes, and repeats the decoder's text for others.
func explainSyntax(content []byte, at int, text string) *syntaxFault {
	before := bytes.TrimRight(content[:at], " \t\r\n")
	last := byte(0)
	if len(before) > 0 {
		last = before[len(before)-1]
	}
	switch c := content[at]; {
	case last == ',' && (c == ']' || c == '}'):
		return faultAt(content, len(before)-1, "there is a comma behind the last of a list", "delete the comma")
	case c == '/' || c == '#':
		return faultAt(content, at, "JSON has no comments", "delete the comment")
	case c == 'T' || c == 'F' || c == 'N':
		return faultAt(content, at, "this is not JSON",
			"write true, false and null in lower case, and text in double quotes")
	case c == '\'':
		return faultAt(content, at, "text stands in single quotes", `write it in double quotes`)
	case c == '"' && (strings.IndexByte(`"}]`, last) >= 0 ||
		'a' <= last && last <= 'z' || '0' <= last && last <= '9'):
		return faultAt(content, len(before)-1, "a comma is missing behind this", "add the comma")
	case c == '{' && last == '}':
		return faultAt(content, len(before)-1, "a comma is missing behind this", "add the comma")
	}
	return faultAt(content, at, "this is not JSON: "+text, "")
}

// faultAt counts lines and characters up to an offset.
func faultAt(content []byte, at int, text, remedy string) *syntaxFault {
	start := bytes.LastIndexByte(content[:at], '\n') + 1
	return &syntaxFault{
		line:   bytes.Count(content[:at], []byte{'\n'}) + 1,
		column: utf8.RuneCount(content[start:at]) + 1,
		text:   text, remedy: remedy,
	}
}
