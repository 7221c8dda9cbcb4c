package logging

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// codeKey is the attribute that names a fault.
const codeKey = "code"

// split takes a line of glog's form apart. It may have been cut.
func (textForm) split(line string, out *Line) {
	head, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "] ")
	if !ok {
		out.Text = whole(line)
		return
	}
	out.Source = head[strings.LastIndexByte(head, ' ')+1:]
	out.Text = whole(text)
	out.Code = codeIn(text)
}

// codeIn finds the value of "code=" outside of quotes.
func codeIn(text string) string {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch {
		case quoted && text[i] == '\\':
			i++
		case text[i] == '"':
			quoted = !quoted
		case !quoted && strings.HasPrefix(text[i:], " "+codeKey+"="):
			code, _, _ := strings.Cut(text[i+len(codeKey)+2:], " ")
			return code
		}
	}
	return ""
}

// split makes of a JSON line what the text form would have been. It may have been cut;
// then the part before the cut is shown.
func (jsonForm) split(line string, out *Line) {
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	if _, err := d.Token(); err != nil {
		out.Text = whole(line)
		return
	}
	var b []byte
	for d.More() {
		key, err := d.Token()
		if err != nil {
			break
		}
		value, err := d.Token()
		if err != nil {
			break
		}
		b = appendSplit(b, key, value, out)
	}
	out.Text = string(b)
}

func appendSplit(b []byte, key, value json.Token, out *Line) []byte {
	name, _ := key.(string)
	s, isText := value.(string)
	switch name {
	case "time", "level":
		return b
	case "source":
		out.Source = s
		return b
	case "msg":
		return appendMessage(b, s)
	case codeKey:
		out.Code = s
	}
	b = append(b, ' ')
	b = appendValue(b, name)
	b = append(b, '=')
	switch v := value.(type) {
	case json.Number:
		return append(b, v...)
	case bool:
		if v {
			return append(b, "true"...)
		}
		return append(b, "false"...)
	}
	if isText {
		return appendValue(b, s)
	}
	return b
}

// whole leaves out half a character at the end of a line that was cut.
func whole(s string) string {
	for i := 0; i < utf8.UTFMax && len(s) > 0; i++ {
		if r, size := utf8.DecodeLastRuneInString(s); r != utf8.RuneError || size != 1 {
			break
		}
		s = s[:len(s)-1]
	}
	return s
}
