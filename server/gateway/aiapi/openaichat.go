package aiapi

import (
	"bytes"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/sse"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

// openAIChat gives answers to chats the form that OpenAI's clients know. Nodes and runners of the
// existing network have their own form, which clients of /llm get unchanged.
type openAIChat struct {
	// enabled: the client used OpenAI's route.
	enabled bool
	stream  sse.OpenAI
	// buf holds the converted form of the last piece.
	buf []byte
}

// objectField is OpenAI's type marker of an answer.
const objectField = `,"object":"chat.completion"`

func (s *openAIChat) begin(r *route, a *broker.Answer, job *inference.Job) {
	s.enabled = r.path == chatPath && job.Operation == inference.Chat
	s.stream, s.buf = sse.OpenAI{Network: a.Node == "", Usage: !job.HideUsage}, nil
}

// feed converts a piece of a stream. The result is valid until the next call.
func (s *openAIChat) feed(p []byte) []byte {
	if !s.enabled || s.stream.Unchanged() {
		return p
	}
	s.buf = s.stream.Feed(s.buf[:0], p)
	return s.buf
}

// end returns what remains to be sent when a stream ends.
func (s *openAIChat) end() []byte {
	if !s.enabled {
		return nil
	}
	return s.stream.End(nil, false)
}

// failed reports whether the stream ended with the network's marker of a failed answer.
func (s *openAIChat) failed() bool { return s.enabled && s.stream.Failed() }

// grows reports whether the answer may be sent longer than it arrived, as far as it was scanned.
func (s *openAIChat) grows(scan *sse.JSONScanner) bool { return s.enabled && !scan.HasObject() }

// last returns the last piece of an answer that is one JSON object, with the type marker added.
func (s *openAIChat) last(p []byte, scan *sse.JSONScanner) []byte {
	end := bytes.LastIndexByte(p, '}')
	if !s.grows(scan) || end < 0 {
		return p
	}
	out := make([]byte, 0, len(p)+len(objectField))
	out = append(append(out, p[:end]...), objectField...)
	return append(out, p[end:]...)
}
