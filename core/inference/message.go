package inference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	// maxMessage bounds a runner's message in bytes.
	maxMessage = 400
	// maxDetails bounds how many details of a list are given.
	maxDetails = 3
)

// Message returns what the body of a runner's error says, in one line: "msg" of the
// network's runners, "message" of OpenAI's form, or a short plain text. It is
// empty where the body says nothing for people.
func Message(body []byte) string {
	var e struct {
		Detail  json.RawMessage `json:"detail"`
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
	}
	if json.Unmarshal(body, &e) != nil {
		return plainMessage(body)
	}
	for _, text := range []string{detailMessage(e.Detail), errorMessage(e.Error), e.Message} {
		if text != "" {
			return clipMessage(text)
		}
	}
	return ""
}

// Field returns the path of the field that a runner's error is about, "messages.0.role": that of the
// first complaint where there are several; "" where the error names none.
func Field(body []byte) string {
	var e struct {
		Detail []validationDetail `json:"detail"`
		Error  struct {
			Param string `json:"param"`
		} `json:"error"`
	}
	_ = json.Unmarshal(body, &e) // of another form it names none
	path := e.Error.Param
	if len(e.Detail) > 0 {
		path = e.Detail[0].path()
	}
	return clipMessage(path)
}

func detailMessage(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var one validationDetail
	if json.Unmarshal(raw, &one) == nil {
		return one.String()
	}
	var many []validationDetail
	if json.Unmarshal(raw, &many) != nil {
		return ""
	}
	var texts []string
	for _, c := range many[:min(len(many), maxDetails)] {
		if text := c.String(); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "; ")
}

// complaint is one entry of a runner's detail; Loc is the path of the field that
// it means.
type validationDetail struct {
	Loc []any  `json:"loc"`
	Msg string `json:"msg"`
}

func (c validationDetail) String() string {
	path := c.path()
	if path == "" || c.Msg == "" {
		return c.Msg
	}
	return path + ": " + c.Msg
}

// path returns where the complaint is, "" where it does not say.
func (c validationDetail) path() string {
	var path []string
	for _, part := range c.Loc {
		switch part := part.(type) {
		case string:
			if part != "body" {
				path = append(path, part)
			}
		case float64:
			path = append(path, fmt.Sprint(part))
		}
	}
	return strings.Join(path, ".")
}

func errorMessage(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var e struct {
		Message string `json:"message"`
	}
	// What has no message in it says nothing.
	_ = json.Unmarshal(raw, &e)
	return e.Message
}

// plainMessage takes the first line of a text that is meant to be read, not of a
// web page.
func plainMessage(body []byte) string {
	text := bytes.TrimSpace(body)
	if line, _, more := bytes.Cut(text, []byte("\n")); more {
		text = line
	}
	if len(text) == 0 || !utf8.Valid(text) || bytes.ContainsAny(text[:1], "<{[") {
		return ""
	}
	return clipMessage(string(text))
}

func clipMessage(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	if len(text) <= maxMessage {
		return text
	}
	return strings.ToValidUTF8(text[:maxMessage], "") + "…"
}
