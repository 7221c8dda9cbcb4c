package livevideo

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"unicode"
)

// messageKind is what a message says.
type messageKind string

const (
	kindReady         messageKind = "ready"
	kindStarted       messageKind = "started"
	kindError         messageKind = "error"
	kindCreate        messageKind = "create_channels"
	kindClose         messageKind = "close_channels"
	kindRestarting    messageKind = "restarting"
	kindPong          messageKind = "pong"
	kindPing          messageKind = "ping"
	kindClosing       messageKind = "closing"
	kindResponse      messageKind = "response"
	codeAccess                    = "ACCESS_DENIED"
	codeUnreachable               = "UNREACHABLE"
	directionIn                   = "in"
	directionOut                  = "out"
	directionBoth                 = "bidirectional"
	maxMessage                    = 64 << 10
	maxText                       = 500
	maxMIME                       = 256
	maxRequestID                  = 256
	endText                       = "scope session timeout reached; terminating shortly"
	handshakeFailText             = "serverless handshake failed"
)

// message is one from the runner.
type message struct {
	Type      messageKind `json:"type"`
	RequestID string      `json:"request_id"`
	MIME      string      `json:"mime_type"`
	Direction string      `json:"direction"`
	Channels  []string    `json:"channels"`
	Code      string      `json:"code"`
	Error     string      `json:"error"`
	Message   string      `json:"message"`
}

var (
	errNoMessage = errors.New("the runner sent what is no message")
	errOrder     = errors.New("the runner sent a message that is not known, or out of order")
)

// parse reads a message.
func parse(data []byte) (message, error) {
	var m message
	if len(data) > maxMessage || json.Unmarshal(data, &m) != nil || len(m.RequestID) > maxRequestID ||
		len(m.MIME) > maxMIME {
		return message{}, errNoMessage
	}
	return m, nil
}

// runnerError is a runner's error.
type runnerError struct{ code, text string }

// refusal is the error in a message.
func (m *message) refusal() *runnerError {
	text := m.Error
	if text == "" {
		text = m.Message
	}
	return &runnerError{clean(m.Code), clean(text)}
}

// clean makes a runner's text fit for an answer and a log.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	return text
}

// Error returns the text as clients get it.
func (r *runnerError) Error() string { return handshakeFailText + " (" + r.code + "): " + r.text }

func (r *runnerError) status() int {
	if r.code == codeAccess {
		return http.StatusUnauthorized
	}
	return http.StatusInternalServerError
}

// channel is one of a session's media channels as the runner gets it.
type channel struct {
	URL       string `json:"url"`
	Direction string `json:"direction"`
	MIME      string `json:"mime_type"`
}

// response answers a message of the runner.
type response struct {
	Type      messageKind `json:"type"`
	RequestID string      `json:"request_id"`
	Channels  []channel   `json:"channels,omitempty"`
}

// ping asks the runner for a sign of life.
type ping struct {
	Type      messageKind `json:"type"`
	RequestID string      `json:"request_id"`
	Timestamp int64       `json:"timestamp"`
}

// notice announces the end.
type notice struct {
	Type    messageKind `json:"type"`
	Message string      `json:"message"`
}
